"""Attributes that methods assign anew, each time a tensor of one shape: running statistics, states.

``self.mean = 0.9 * self.mean + 0.1 * x.mean(0)`` may be anything by its form alone.  But if it has the shape
that the constructor gave it when a method begins, and has it wherever the method ends, it always has it: also
where the method ends at that very statement, as it is refused.
``self.k = self.k[rows]`` changes one axis: the others, and how many there are, stay.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from typedtorch.shapes.equality import same
from typedtorch.shapes.infer.classes.attribute_stores import stores
from typedtorch.shapes.infer.classes.updates import assigned_later, is_placeholder, varied
from typedtorch.shapes.infer.frame import Reporter
from typedtorch.shapes.infer.values.values import Instance, Tensor, Value
from typedtorch.shapes.size import is_unknown
from typedtorch.shapes.tensor import Pack

if TYPE_CHECKING:
    from typedtorch.shapes.infer.classes.classes import ClassInfo
    from typedtorch.shapes.infer.interpreter import Interpreter

Axes: TypeAlias = frozenset[int]


def find(interpreter: Interpreter, made: Instance, lasting: Instance) -> dict[str, Axes]:
    """The names of such attributes, each with the axes whose size changes all the same.

    Args:
        made: an object as its constructor leaves it.
        lasting: what is certain of it later.
    """
    tensors = {
        n: v for n, v in made.attributes.items() if isinstance(v, Tensor) and n not in lasting.attributes
    }
    methods = {name: found for name in tensors if (found := assigned_later(made.info, name))}
    kept = {name: frozenset[int]() for name in methods}
    while kept:
        trial = {name: varied(tensors[name], axes) for name, axes in kept.items()}
        object_ = replace(lasting, attributes={**lasting.attributes, **trial})
        ends = [_changed(interpreter, object_, m, trial) for m in {m for n in kept for m in methods[n]}]
        now = {}
        for name, axes in kept.items():
            changes = [changed[name] for changed in ends if name in changed]
            if None not in changes:
                now[name] = axes.union(*(change for change in changes if change is not None))
        if now == kept:
            break
        kept = now
    return kept


def _changed(
    interpreter: Interpreter, trial: Instance, method: str, kept: Mapping[str, Tensor]
) -> dict[str, Axes | None]:
    """Those that a method gives another shape, or perhaps does: along which axes, None for any."""
    from typedtorch.shapes.infer.checking import ends  # noqa: PLC0415 - it makes instances, which asks this file

    info = trial.info
    function = info.as_function(method, trial)
    own = [] if function is None else [*function.node.args.posonlyargs, *function.node.args.args]
    if function is None or not own or function.bound is not trial or isinstance(function.node, ast.Lambda):
        return dict.fromkeys(kept)
    found: dict[str, Axes | None] = {}
    reporter = Reporter(function.module.path, counting=False)
    left = ends(interpreter, function, info, reporter)
    if left is None:
        return dict.fromkeys(kept)
    refused = {name for name in kept if _is_refused(reporter, info, name)}
    for state in left:
        now = state.variables.get(own[0].arg)
        attributes = now.attributes if isinstance(now, Instance) else {}
        for name, value in kept.items():
            before = found.get(name, frozenset())
            axes = frozenset[int]() if name in refused else _axes_changed(attributes.get(name), value)
            found[name] = None if before is None or axes is None else before | axes
    return found


def _is_refused(reporter: Reporter, info: ClassInfo, attribute: str) -> bool:
    """Whether something is wrong where a method assigns an attribute."""
    lines = {line for line, _, _ in reporter.findings}
    return any(
        isinstance(store, ast.stmt) and not lines.isdisjoint(range(store.lineno, (store.end_lineno or 0) + 1))
        for _, store in stores(info, attribute)
    )


def _axes_changed(now: Value, was: Tensor) -> Axes | None:
    """The axes that have, or may have, another size; None if it may be another tensor altogether."""
    if now is was:
        return frozenset()
    if not isinstance(now, Tensor) or len(now.shape) != len(was.shape) or now.dtype & ~was.dtype:
        return None
    if is_placeholder(was):
        return None
    changed = set()
    for k, (a, b) in enumerate(zip(now.shape, was.shape, strict=True)):
        if isinstance(a, Pack) or isinstance(b, Pack):
            return None
        if not is_unknown(b) and same(a, b) is not True and str(a) != str(b):
            changed.add(k)
    return frozenset(changed)


__all__ = ["Axes", "find"]
