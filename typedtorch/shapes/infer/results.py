"""What a body returns or yields, held against its signature."""

from __future__ import annotations

import ast
from functools import partial

from typedtorch.shapes.equality import loosely
from typedtorch.shapes.infer import messages, specs
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.perhaps_none import where_given
from typedtorch.shapes.infer.repairs import repair
from typedtorch.shapes.infer.unify import match
from typedtorch.shapes.infer.values import (
    Tensor,
    Value,
)
from typedtorch.shapes.tensor import has_open_run


def check_result(frame: Frame, node: ast.expr, value: Value) -> None:
    """A ``return`` against the function's annotation."""
    if frame.result is None:
        return
    names = frame.state.names.copy()
    names.strict, names.tie, names.tied = True, frame.tie(node), frame.state.ties.settled
    with frame.comparing():
        problems = match(frame.result, value, names, binder="the result")
    if not problems:
        again = partial(match, frame.result, names=names.copy(), binder="the result")
        problems = where_given(frame, node, value, again)
    frame.bound.append({} if problems else names.sizes)
    if problems and not _follows(frame, value):
        fits = partial(_fits_result, frame, frame.result)
        messages.result(frame, node, problems[0], hint=repair(frame, node, value, fits))


def _fits_result(frame: Frame, spec: specs.Spec, value: Value) -> bool:
    names, ties = frame.state.names.copy(), frame.state.ties
    names.strict, names.tie, names.tied = True, ties.allow, ties.settled
    return not match(spec, value, names, binder="the result")


def _follows(frame: Frame, value: Value) -> bool:
    """Whether a result of which little is known comes after something that was reported."""
    return isinstance(value, Tensor) and has_open_run(value.shape) and frame.blamed()


def check_yield(frame: Frame, node: ast.Yield, value: Value) -> None:
    """A ``yield`` against the element of ``Iterator[...]``."""
    spec = frame.interpreter.yield_spec(frame)
    if spec is None or node.value is None:
        return
    names = frame.state.names.copy()
    names.strict, names.tie = True, frame.tie(node)
    with loosely():
        problems = match(spec, value, names, binder="the item")
    if problems:
        messages.result(frame, node.value, problems[0], verb="yields")
