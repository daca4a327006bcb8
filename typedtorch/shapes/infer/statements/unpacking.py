"""Unpacking: which part of a value each target of ``a, *b = value`` is bound to."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from typedtorch.shapes.equality import generic
from typedtorch.shapes.infer.conditions import checks
from typedtorch.shapes.infer.conditions.places import read_place, shape_read, write_place
from typedtorch.shapes.infer.containers.items import items_of, iterate, tensor_item, these, this_one
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.operators import read_items
from typedtorch.shapes.infer.reports import messages
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    Bound,
    Choice,
    External,
    FunctionV,
    Instance,
    LayerV,
    Tensor,
    Value,
    is_size,
)
from typedtorch.shapes.infer.values.values import Sequence as SequenceV
from typedtorch.shapes.rule import Fields
from typedtorch.shapes.size import Poly, integer, unknown
from typedtorch.shapes.syntax import walk
from typedtorch.shapes.tensor import ANY_AXES, Entry, Pack, Shape, pack_index

# targets with what each is bound to, and the expression that it is written as
Parts = list[tuple[ast.expr, Value, ast.expr | None]]


def unpacked(
    frame: Frame, elts: list[ast.expr], value: Value, target: ast.expr, source: ast.expr | None
) -> Parts:
    """What each of the targets in ``a, *b = value`` is bound to."""
    star = next((i for i, e in enumerate(elts) if isinstance(e, ast.Starred)), None)
    if isinstance(value, Choice):
        fits = [v for v in value.options if not isinstance(v, tuple) or len(v) == len(elts)]
        value = fits[0] if len(fits) == 1 and star is None else UNKNOWN
    if value is UNKNOWN and star is None and source is not None and _of_tensor(frame, source):
        value = (ANY_AXES,)
    if isinstance(value, Tensor):
        value = _unpack_tensor(frame, value, elts, star, target, source)
    if isinstance(value, tuple) and any(isinstance(v, Pack) for v in value):
        if star is not None and len(value) == len(elts) and isinstance(value[star], Pack):
            # *batch, s, d = x.shape: the run of axes itself, to be spread again in view(*batch, ...)
            whole = [(part,) if i == star else part for i, part in enumerate(value)]
            return _paired(elts, whole)
        value = _unpack_shape(frame, value, elts, star, source, frame.place(target))
    items = items_of(value)
    if items is None and star is None and isinstance(source, ast.Call):
        value = _check_unbind(frame, source, value, len(elts))
    if items is None and len(elts) == 1 and isinstance(value, SequenceV) and value.kind == "set" and source:
        checks.attempted(frame, (source,))
    if items is None:
        each = iterate(value, frame.place(target))
        own = [(these if i == star else this_one)(frame, each, frame.place(e)) for i, e in enumerate(elts)]
        return _paired(elts, [_listed(v) if i == star else v for i, v in enumerate(own)])
    if star is not None:
        return _paired(elts, _around(items, star, len(elts)))
    if len(items) != len(elts):
        if _certain_count(frame, value, source) or _one_for_each(frame, source, len(items)):
            messages.unpack(frame, source or target, value, len(elts), len(items))
        items = [UNKNOWN] * len(elts)
    return list(zip(elts, items, _written_out(source, len(elts)), strict=True))


def _of_tensor(frame: Frame, source: ast.expr) -> bool:
    """Whether what a shape is read of can only be a tensor, which is noted: ``b, c = x.size()``.

    An array has a ``shape`` as well, but none is given to a module's ``forward``.
    """
    subject = shape_read(source)
    if not isinstance(subject, ast.Name) or frame.lookup(subject.id) is not UNKNOWN:
        return False
    if not isinstance(source, ast.Call) and not _in_forward(frame):
        return False
    write_place(frame, subject, Tensor((ANY_AXES,)))
    return True


def _in_forward(frame: Frame) -> bool:
    function, owner = frame.function, frame.owner
    return function is not None and function.name == "forward" and owner is not None and owner.kind.is_module


def _paired(elts: list[ast.expr], values: list[Value]) -> Parts:
    return [(element, value, None) for element, value in zip(elts, values, strict=True)]


def _listed(each: Value) -> SequenceV:
    return SequenceV("list", None, each)


def _around(items: Sequence[Value], star: int, count: int) -> list[Value]:
    """The items of ``a, *b, c``: those in the middle as a list."""
    if len(items) < count - 1:
        items = [UNKNOWN] * count
    behind = len(items) - (count - star - 1)
    return [*items[:star], SequenceV("list", tuple(items[star:behind])), *items[behind:]]


def _written_out(source: ast.expr | None, count: int) -> Sequence[ast.expr | None]:
    """The expressions that ``a, b = x.shape, y.shape`` takes apart, where they are written out."""
    match source:
        case ast.Tuple(elts=elts) if len(elts) == count and not any(isinstance(e, ast.Starred) for e in elts):
            return elts
    return [None] * count


def _check_unbind(frame: Frame, source: ast.Call, value: Value, wanted: int) -> Value:
    """``k, v = kv.unbind(1)`` where it is another axis that is 2."""
    parted, given = _taken_apart(frame, source)
    with frame.reporter.mute():
        tensor = UNKNOWN if parted is None else frame.evaluate(parted)
        dim = frame.evaluate(given[0]) if given else 0
    if parted is not None and isinstance(tensor, Tensor) and isinstance(dim, int) and tensor.rank is not None:
        at = dim % tensor.rank if tensor.rank else 0
        return _check_taken(frame, source, parted, value, tensor, at, wanted)
    return value


def _taken_apart(frame: Frame, source: ast.Call) -> tuple[ast.expr | None, list[ast.expr]]:
    """What is taken apart, and along which axis: ``x.unbind(1)``, ``torch.unbind(x, 1)``, ``x.split(1)``."""
    func, given = source.func, list(source.args)
    if not isinstance(func, ast.Attribute) or func.attr not in ("unbind", "split"):
        return None, []
    parted = func.value
    with frame.reporter.mute():
        if given and isinstance(frame.evaluate(parted), External):
            parted = given.pop(0)
        if func.attr == "split" and not (given and frame.evaluate(given.pop(0)) == 1):
            return None, []
    return parted, [k.value for k in source.keywords if k.arg == "dim"] or given


def _check_taken(
    frame: Frame, node: ast.expr, parted: ast.expr, value: Value, tensor: Tensor, dim: int, wanted: int
) -> Value:
    """``x, y, z = points`` of ``n 3``: n may be 3, but another axis is; what follows from it is unknown."""
    size = tensor.shape[dim] if dim < len(tensor.shape) else 0
    if isinstance(size, Poly) and generic(size) and wanted in tensor.shape:
        messages.unpack_along(frame, node, parted, tensor, dim, wanted)
        return UNKNOWN
    read_items.unpacked(frame, size, wanted)
    return value


def _certain_count(frame: Frame, value: Value, source: ast.expr | None) -> bool:
    """A shape, what an operator, a layer or a body gave; an annotated tuple is a type checker's to count.

    But not in a function without annotations, which type checkers leave alone.
    """
    if not isinstance(value, tuple) or isinstance(value, Fields):
        return False
    if all(is_size(v) for v in value) and not isinstance(source, ast.Call):
        return True
    if isinstance(source, ast.Call) and shape_read(source) is not None:
        return True
    if isinstance(source, ast.Tuple):  # written out beside the names
        return any(isinstance(v, Tensor) for v in value)
    if not isinstance(source, ast.Call):
        return False
    with frame.reporter.mute():
        called = frame.evaluate(source.func)
    if isinstance(called, Instance):
        called = called.info.as_function("forward", called)
    if isinstance(called, FunctionV):
        if isinstance(called.node, ast.Lambda) or called.overloads:
            return False
        return called.node.returns is None or _is_untyped(frame)
    return isinstance(called, LayerV) or (
        isinstance(called, (Bound, External)) and all(isinstance(v, Tensor) for v in value)
    )


def _one_for_each(frame: Frame, source: ast.expr | None, count: int) -> bool:
    """What is made of so many tensors, one by one: ``map(f, qkv)`` and ``[f(t) for t in qkv]``."""
    match source:
        case ast.Call(func=ast.Name(id="map"), args=[_, several], keywords=[]):
            pass
        case (
            ast.ListComp(generators=[ast.comprehension(iter=several, ifs=[])])
            | ast.GeneratorExp(generators=[ast.comprehension(iter=several, ifs=[])])
        ):
            pass
        case _:
            return False
    with frame.reporter.mute():
        given = frame.evaluate(several)
    return isinstance(given, tuple) and len(given) == count and all(isinstance(v, Tensor) for v in given)


def _is_untyped(frame: Frame) -> bool:
    node = None if frame.function is None else frame.function.node
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    given = [a.annotation for a in walk(node.args) if isinstance(a, ast.arg)]
    return node.returns is None and not any(given)


def _unpack_tensor(
    frame: Frame,
    value: Tensor,
    elts: list[ast.expr],
    star: int | None,
    target: ast.expr,
    source: ast.expr | None,
) -> Value:
    """``q, k, v = qkv``: the first axis is taken apart."""
    if not value.shape:
        messages.unpack_number(frame, source or target, len(elts))
        return UNKNOWN
    first = value.shape[0]
    if star is None and isinstance(first, int) and first != len(elts):
        messages.unpack(frame, source or target, value, len(elts), first)
    each = tensor_item(value)
    if star is None and first != len(elts):
        what = source or target
        each = _check_taken(frame, what, what, each, value, 0, len(elts))
    return tuple([each] * len(elts)) if star is None else _listed(each)


def _unpack_shape(
    frame: Frame,
    value: tuple[Value, ...],
    elts: list[ast.expr],
    star: int | None,
    source: ast.expr | None,
    place: str,
) -> Value:
    """``*batch, s, d = x.shape`` or ``b, s, d = x.shape`` where the rank is not known."""
    packed = pack_index(value)
    assert packed is not None
    if star is not None:
        return UNKNOWN
    missing = len(elts) - (len(value) - 1)
    if missing < 0 or sum(isinstance(v, Pack) for v in value) > 1:
        return UNKNOWN
    names = [e.id if isinstance(e, ast.Name) else "?" for e in elts[packed : packed + missing]]
    subject = shape_read(source) if source is not None else None
    alike = isinstance(subject, ast.Name) and _is_a_further_part(frame, subject.id)
    fresh: Shape = tuple(unknown() if alike or _says_nothing(n, names) else integer(n, place) for n in names)
    if subject is not None:
        tensor = read_place(frame, subject)
        pack = value[packed]
        if isinstance(tensor, Tensor) and isinstance(pack, Pack):
            if pack.open:
                shape: tuple[Entry, ...] = (*tensor.shape[:packed], *fresh, *tensor.shape[packed + 1 :])
                write_place(frame, subject, replace(tensor, layout=None, shape=shape))
            else:
                frame.state.replace_pack(pack, fresh)
    return (*value[:packed], *fresh, *value[packed + 1 :])


def _says_nothing(name: str, names: list[str]) -> bool:
    """Whether a name says nothing of a size: ``_n``, or ``n_`` beside ``n``, which may be a square."""
    root = name.rstrip("_")
    again = any(other.rstrip("_") == root and len(other) < len(name) for other in names)
    return again or name.startswith("_")


def _is_a_further_part(frame: Frame, name: str) -> bool:
    """Whether a name is bound to a further part of what a call gives: ``q, k = qkv.unbind(2)`` are alike."""
    for node in walk(frame.function.node) if frame.function is not None else ():
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=parts)], value=ast.Call()):
                if any(isinstance(part, ast.Name) and part.id == name for part in parts[1:]):
                    return True
    return False
