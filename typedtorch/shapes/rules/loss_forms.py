"""Forms that losses are written in: how they are reduced, pairs of tensors, the flags of older releases."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.dtypes import COMPLEX, FLOATING
from typedtorch.shapes.equality import is_name
from typedtorch.shapes.rule import name, rule, warn
from typedtorch.shapes.rules.forms import Function, broadcast_operands, functional, need
from typedtorch.shapes.rules.promotion import result_type, stretched
from typedtorch.shapes.tensor import ANY_AXES, UNKNOWN, Pack, Shape, ShapeError, Tensor, same_shape, show


def reduction_of(size_average: Any, reduce: Any, reduction: Any) -> Any:
    """How a loss is reduced: the older flags win where one of them is given.

    >>> reduction_of(None, False, "mean"), reduction_of(False, None, "mean"), reduction_of(None, None, "none")
    ('none', 'sum', 'none')
    """
    if size_average is None and reduce is None:
        return reduction
    match tuple(True if flag is None else flag for flag in (reduce, size_average)):
        case (False, _):
            return "none"
        case (True, bool(average)):
            return "mean" if average else "sum"
    return UNKNOWN


def loss(*names: str, sample: str) -> Callable[[Function], Function]:
    """Enter a loss under its names in ``torch.nn.functional``.

    torch has the older flags before ``reduction``, and they win: a rule that does not declare them looks at
    ``reduction`` alone.
    """

    def enter(function: Function) -> Function:
        return rule(*functional(*names), sample=sample)(_with_flags(function))

    return enter


def _with_flags(function: Function) -> Function:
    own = inspect.signature(function)
    before = list(own.parameters).index("reduction")
    parameters = list(own.parameters.values())
    flags = [parameters[before].replace(name=f, default=None) for f in _FLAGS if f not in own.parameters]
    signature = own.replace(parameters=[*parameters[:before], *flags, *parameters[before:]])

    @functools.wraps(function)
    def reduced(*args: Any, **kwargs: Any) -> Any:
        known = signature.bind(*args, **kwargs).arguments
        size_average, reduce = (known.get(flag) for flag in _FLAGS)
        if size_average is not None or reduce is not None:
            known["reduction"] = reduction_of(size_average, reduce, known.get("reduction", "mean"))
        return function(**{name: value for name, value in known.items() if name in own.parameters})

    reduced.__signature__ = signature  # type: ignore[attr-defined]  # inspect reads it
    return reduced


_FLAGS = ("size_average", "reduce")
_REDUCTIONS = ("mean", "sum", "none", "elementwise_mean")  # the last is old, and still accepted


def reduced_loss(of: Tensor, shape: Shape, reduction: Any, mask: int) -> Tensor:
    """A loss of this shape before it is averaged or added up.

    Raises:
        ShapeError: ``reduction`` is no way to do so.
    """
    if reduction is UNKNOWN:
        return of.of((ANY_AXES,), mask)
    if reduction not in _REDUCTIONS:
        raise ShapeError(f"reduction={reduction!r}, wanted 'mean', 'sum' or 'none'")
    return of.of(shape if reduction == "none" else (), mask)


# --- two tensors -------------------------------------------------------------------------------


def pair_loss(input: Any, target: Any, reduction: Any, mask: int) -> Tensor:
    """The loss of two tensors that broadcast; torch warns where shapes differ, and it is rarely meant."""
    shape = broadcast_operands((need(input), "input"), (need(target), "target"))
    deliberate = input.deliberate or target.deliberate
    if reduction in ("mean", "sum") or not deliberate:
        _lint_numbers(input, target, shape)
    if reduction in ("mean", "sum"):
        _lint_square(input, target, shape)
    return reduced_loss(input, shape, reduction, mask)


def _lint_numbers(input: Tensor, target: Tensor, shape: Shape) -> None:
    """``(32, 1)`` against ``(32,)``: elsewhere the names of axes tell, in a loss numbers do too.

    And where the axis of size 1 is written out, ``target.unsqueeze(-1)``, no loss is meant of all pairs.
    """
    if len(input.shape) == len(target.shape) or shape in (input.shape, target.shape):
        return
    if any(isinstance(e, Pack) and e.anonymous for e in (*input.shape, *target.shape)):
        return  # they may have as many axes
    written = (input.deliberate or target.deliberate) and _is_squared(input.shape, target.shape, shape)
    if written or all(isinstance(size, int) for size in shape):
        both = f"{show(input.shape)} and {show(target.shape)} broadcast to {show(shape)}"
        warn(
            "broadcast",
            f"{both}: elements meet that do not belong together",
            _unsqueeze_hint(input, target) or "give both the same axes",
        )


def _is_squared(a: Shape, b: Shape, shape: Shape) -> bool:
    """Whether an axis meets itself: ``(b,)`` with ``(b, 1)`` is ``(b, b)``."""
    met = {e for e in (*a, *b) if not isinstance(e, Pack) and is_name(e)}
    return any(shape.count(e) > max(a.count(e), b.count(e)) for e in met)


def _lint_square(input: Tensor, target: Tensor, shape: Shape) -> None:
    """``(n, 1)`` or ``(n,)`` against ``(n, n)``: that one was made by a broadcast that nobody meant."""
    small, big = sorted((input, target), key=lambda t: sum(size != 1 for size in t.shape))
    square = shape == big.shape and len(shape) == 2 and shape[0] == shape[1] != 1
    if square and small.shape in ((shape[0], 1), (shape[0],)):
        warn(
            "broadcast",
            f"{show(input.shape)} and {show(target.shape)} broadcast to {show(shape)}: "
            "elements meet that do not belong together",
            f"look where {big.label or 'the other one'} gets its last axis",
        )


def floating_pair(input: Any, target: Any, expanded: bool = True) -> int:
    """The dtype of two tensors, which most losses expand to one shape first.

    Raises:
        ShapeError: it is no floating one.
    """
    pair = need(input), need(target)
    mask = result_type(*map(stretched, pair)) if expanded else result_type(*pair)
    if not mask & (FLOATING | COMPLEX):
        raise ShapeError(
            f"{name(input, 'input')} and {name(target, 'target')} are {dtypes.show(mask)}, wanted a "
            "floating dtype",
            "dtype",
            "cast one: .float()",
        )
    return mask & (FLOATING | COMPLEX)


PAIRS = "F:*, F:* | F:*, F:*, reduction='none' | F:*, F:*, reduction='sum'"


def check_alike(input: Any, target: Any, what: str) -> None:
    """Two shapes where torch does not broadcast.

    Raises:
        ShapeError: they differ.
    """
    if same_shape(need(input).shape, need(target).shape) is False:
        first, second = name(input, "input"), name(target, "target")
        raise ShapeError(
            f"{first} has shape {show(input.shape)} and {second} {show(target.shape)}: "
            f"{what} needs equal shapes",
            hint=_unsqueeze_hint(input, target),
        )


def _unsqueeze_hint(input: Tensor, target: Tensor) -> str | None:
    if input.shape[:-1] == target.shape and input.shape[-1:] == (1,):
        return f"{name(input, 'input')}.squeeze(-1)"
    if target.shape[:-1] == input.shape and target.shape[-1:] == (1,):
        return f"{name(target, 'target')}.squeeze(-1)"
    return None
