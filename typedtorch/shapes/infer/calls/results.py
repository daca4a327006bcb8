"""What a body returns or yields, held against its signature."""

from __future__ import annotations

import ast
from functools import partial

from typedtorch.shapes.equality import is_name, loosely, observing
from typedtorch.shapes.infer.annotations import specs
from typedtorch.shapes.infer.annotations.perhaps_none import where_given
from typedtorch.shapes.infer.annotations.unify import match
from typedtorch.shapes.infer.calls.exchanged import exchanged_items
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.operators.constants import settled
from typedtorch.shapes.infer.reports import messages
from typedtorch.shapes.infer.reports.repairs import repair
from typedtorch.shapes.infer.values.values import (
    Choice,
    Tensor,
    Value,
)
from typedtorch.shapes.ones import counts_items
from typedtorch.shapes.size import Size, is_unknown
from typedtorch.shapes.tensor import has_open_run


def check_result(frame: Frame, node: ast.expr, value: Value) -> None:
    """A ``return`` against the function's annotation."""
    if frame.result is None:
        return
    names = frame.state.names.copy()
    names.strict, names.tie, names.tied = True, frame.tie(node), settled(frame)
    with frame.comparing():
        problems = match(frame.result, value, names, binder="the result") or exchanged_items(
            frame.result, value
        )
    if not problems and isinstance(value, Choice):
        again = partial(match, frame.result, names=names.copy(), binder="the result")
        problems = where_given(frame, node, value, again)
    frame.bound.append({} if problems else names.sizes)
    if problems and not _follows(frame, value):
        fits, surely = (partial(f, frame, frame.result) for f in (_fits_result, _surely_fits))
        messages.result(frame, node, problems[0], hint=repair(frame, node, value, fits, surely))


def _fits_result(
    frame: Frame, spec: specs.Spec, value: Value, met: list[tuple[Size, Size]] | None = None
) -> bool:
    names, ties = frame.state.names.copy(), frame.state.ties
    names.strict, names.tie, names.tied = True, ties.allow, settled(frame)
    with observing(lambda a, b: None if met is None else met.append((a, b))):
        return not match(spec, value, names, binder="the result")


def _surely_fits(frame: Frame, spec: specs.Spec, value: Value) -> bool:
    """Whether no size of another name has to be the one that is annotated."""
    met: list[tuple[Size, Size]] = []
    fits = _fits_result(frame, spec, value, met)
    return fits and not any(_are_two(a, b) and not frame.state.ties.known(a, b) for a, b in met)


def _are_two(a: Size, b: Size) -> bool:
    """Whether two sizes have names of their own, or a name and a number; one that counts items has none."""
    named = [size for size in (a, b) if is_name(size) and not is_unknown(size) and not counts_items(size)]
    return str(a) != str(b) and len(named) + isinstance(a, int) + isinstance(b, int) == 2


def _follows(frame: Frame, value: Value) -> bool:
    """Whether a result of which little is known comes after something that was reported."""
    return isinstance(value, Tensor) and has_open_run(value.shape) and frame.blamed()


def check_yield(frame: Frame, node: ast.Yield, value: Value) -> None:
    """A ``yield`` against the element of ``Iterator[...]``."""
    spec = frame.interpreter.yield_spec(frame)
    if spec is None or node.value is None:
        return
    names = frame.state.names.copy()
    names.strict, names.tie, names.tied = True, frame.tie(node), settled(frame)
    with loosely():
        problems = match(spec, value, names, binder="the item")
    if problems:
        messages.result(frame, node.value, problems[0], verb="yields")
