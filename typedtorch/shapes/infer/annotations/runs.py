"""Runs of axes, ``*batch`` and ``*#batch``, against the axes they stand for."""

from __future__ import annotations

from typedtorch.shapes.axes import Axes, Dim
from typedtorch.shapes.infer.annotations.assuming import Names
from typedtorch.shapes.infer.values.values import Instance, Tensor, Value
from typedtorch.shapes.size import is_unknown, unknown
from typedtorch.shapes.tensor import (
    ANY_AXES,
    Pack,
    Shape,
    ShapeError,
    broadcast,
    has_open_run,
    pack_index,
    same_entry,
    show,
)


def match_run(dim: Dim, middle: Shape, names: Names, binder: str) -> str | None:
    """What is wrong where a run of axes certainly differs from what its name stands for."""
    if dim.kind == "anonymous" or dim.treepath or (dim.broadcastable and names.generic):
        return None
    bound = names.packs.get(dim.name)
    grows = bound is None or _widened(dim.name) in names.binders
    if middle == (ANY_AXES,) and not names.generic and not (dim.broadcastable and grows):
        return None  # it binds nothing: what comes back is some run of axes
    if bound is None:
        _bind(dim, middle, names, binder)
        return None
    if len(bound) == 1 and has_open_run(bound) and not (dim.broadcastable and grows):
        _bind(dim, middle, names, binder)
        return None
    if dim.broadcastable or grows:
        return _broadcast(dim, bound, middle, names, binder)
    return _other(dim, bound, middle, names) if _differs(bound, middle) else None


def match_unknown(axes: Axes, names: Names) -> None:
    """Nothing is known of what was given: it may have broadened a run of axes ``*#name``."""
    if axes.variadic is not None and axes.dims[axes.variadic].broadcastable:
        match_run(axes.dims[axes.variadic], (ANY_AXES,), names, "")


def leave_open(names: Names, receiver: Value, *, beside: bool) -> None:
    """What was given for ``*#name`` may still be broadened: where it is 1, and by what an object holds.

    Or by a tensor ``beside`` it, of which the signature says nothing.
    """
    for name, run in names.packs.items():
        if _widened(name) not in names.binders:
            continue
        if beside or (isinstance(receiver, Instance) and any(map(_has_axes, receiver.attributes.values()))):
            names.packs[name] = (ANY_AXES,)
        elif 1 in run:
            names.packs[name] = tuple(unknown() if entry == 1 else entry for entry in run)


def _has_axes(held: Value) -> bool:
    return isinstance(held, Tensor) and bool(held.shape)


def _bind(dim: Dim, middle: Shape, names: Names, binder: str) -> None:
    names.packs[dim.name] = middle
    names.binders[_key(dim.name)] = binder
    if dim.broadcastable:
        names.binders[_widened(dim.name)] = binder
    else:
        names.binders.pop(_widened(dim.name), None)


def _key(name: str) -> str:
    return f"*{name}"


def _widened(name: str) -> str:
    """Marks a run that may still grow: all that were given for it say ``*#name``."""
    return f"*#{name}"


def _broadcast(dim: Dim, bound: Shape, middle: Shape, names: Names, binder: str) -> str | None:
    """``*#name`` stands for what everything given for it broadcasts to; ``*name`` is that exactly."""
    try:
        whole = broadcast(bound, middle)
    except ShapeError:
        who = names.binders.get(_key(dim.name))
        given = f" of {who}" if who else ""
        return f"{dim.text} is {show(bound)}{given}, with which {show(middle)} does not broadcast"
    if dim.broadcastable and _widened(dim.name) in names.binders:
        names.packs[dim.name] = whole
        return None
    exact, other = (bound, middle) if dim.broadcastable else (middle, bound)
    if pack_index(exact) is None and pack_index(other) is None and len(exact) < len(other):
        return _other(dim, bound, middle, names)
    if not dim.broadcastable:
        _bind(dim, middle, names, binder)
    return None


def _other(dim: Dim, bound: Shape, middle: Shape, names: Names) -> str:
    who = names.binders.get(_key(dim.name))
    if not who:
        return f"not the axes that {dim.text} stands for"
    return f"{dim.text} is {show(bound)} for {who}, got {show(middle)}"


def _differs(bound: Shape, middle: Shape) -> bool:
    if pack_index(bound) is None and pack_index(middle) is None:
        if len(bound) != len(middle):
            return True
        return any(same_entry(x, y) is False for x, y in zip(bound, middle, strict=True))
    return _generic_run_differs(bound, middle)


def _generic_run_differs(bound: Shape, middle: Shape) -> bool:
    """A function's own ``*batch`` claims every run of axes: it is not ``()`` nor ``(b, s)``."""
    if has_open_run((*bound, *middle)):
        return False
    if any(not isinstance(e, Pack) and is_unknown(e) for e in (*bound, *middle)):
        return False
    if pack_index(bound) is None or pack_index(middle) is None:
        return True
    return bound != middle


__all__ = ["match_run", "match_unknown"]
