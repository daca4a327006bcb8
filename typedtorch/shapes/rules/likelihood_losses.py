"""Losses that are the negative logarithm of a likelihood."""

from __future__ import annotations

from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.dtypes import FLOATING
from typedtorch.shapes.rule import rule
from typedtorch.shapes.rules.forms import broadcast_operands, functional, need
from typedtorch.shapes.rules.loss_forms import PAIRS, loss, pair_loss, reduced_loss
from typedtorch.shapes.rules.promotion import mask_of, result_type, want
from typedtorch.shapes.tensor import Tensor, Undecided, same_shape


@loss("poisson_nll_loss", sample=PAIRS)
def poisson_nll_loss(
    input: Any,
    target: Any,
    log_input: Any = True,
    full: Any = False,
    size_average: Any = None,
    eps: Any = 1e-08,
    reduction: Any = "mean",
) -> Tensor:
    rates = need(input).of(input.shape, dtypes.to_float(mask_of(input)))  # their exponential, or logarithm
    return pair_loss(input, target, reduction, dtypes.to_float(result_type(rates, need(target))))


@rule(
    *functional("gaussian_nll_loss"),
    sample="F:b d, F:b d, F:b d | F:b d, F:b d, F:b d, reduction='none' | F:b d, F:b d, F:b 1",
)
def gaussian_nll_loss(
    input: Any, target: Any, var: Any, full: Any = False, eps: Any = 1e-06, reduction: Any = "mean"
) -> Tensor:
    if not isinstance(var, Tensor):
        raise Undecided
    want(var, FLOATING, "var", "a floating dtype")
    if not mask_of(need(input)) & FLOATING or not mask_of(need(target)) & FLOATING:
        raise Undecided
    shape = broadcast_operands((need(input), "input"), (need(target), "target"))
    error = input.of(shape, result_type(input, target))
    spread = _variance(input, var)
    mask = result_type(spread, error.of(shape, result_type(error, spread)))
    return reduced_loss(input, broadcast_operands((error, "input"), (spread, "var")), reduction, mask)


def _variance(input: Tensor, var: Tensor) -> Tensor:
    """What the input's shape has in common with the variance's, or its last axis 1 or left out."""
    given, whole = var.shape, input.shape
    if input.rank is None or var.rank is None:
        raise Undecided
    if same_shape(given, whole) is not False:
        return var
    if whole and same_shape(given, whole[:-1]) is not False:
        return var.of((*given, 1))
    if not given or not whole:
        raise Undecided
    if same_shape(given, (*whole[:-1], 1)) is False:
        broadcast_operands((input, "input"), (var, "var"))
        raise Undecided
    return var
