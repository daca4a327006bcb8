"""Activation functions and casts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.dtypes import ANY, BOOL, COMPLEX, FLOAT32, FLOATING, NOT_COMPLEX, to_float
from typedtorch.shapes.equality import same
from typedtorch.shapes.rule import name, rule
from typedtorch.shapes.rules.forms import (
    Function,
    both,
    functional,
    need,
    pointwise,
)
from typedtorch.shapes.rules.pointwise import RULE_OF, unary
from typedtorch.shapes.rules.promotion import common_dtype, want
from typedtorch.shapes.tensor import ShapeError, Tensor, entry_size, pack_index, show


def _activation(allowed: int, wanted: str) -> Function:
    def activation(input: Any, *parameters: Any, inplace: Any = False, **settings: Any) -> Tensor:
        return pointwise((input, "input"), dtype=want(need(input), allowed, "input", wanted))

    return activation


rule(
    *functional(
        "mish", "hardsigmoid", "hardswish", "elu", "celu", "selu", "logsigmoid", "gelu", "leaky_relu",
        "softplus", "softshrink", "hardshrink", "rrelu",
    ),
    "torch.celu", "torch.rrelu", "torch.celu_", "torch.selu_", "torch.rrelu_",
    *functional("elu_", "celu_", "selu_", "leaky_relu_", "rrelu_"), *both("hardshrink"), sample="f:*",
)(_activation(FLOATING, "a floating dtype"))  # fmt: skip
rule(*functional("relu", "relu6"), sample="r:* | r:*, inplace=True")(
    _activation(NOT_COMPLEX & ~BOOL, "real numbers")
)
rule(*functional("relu_"), "torch.relu_", sample="n:*")(RULE_OF["relu"])
rule(*functional("silu"), sample="f:*")(_activation(FLOATING | COMPLEX, "a floating dtype"))
rule(*functional("hardtanh", "hardtanh_"), sample="f:*")(
    _activation(NOT_COMPLEX & ~BOOL & ~dtypes.UINT, "signed numbers")
)
rule(*functional("softsign", "tanhshrink"), sample="n:*")(unary(to_float, ANY, ""))
rule(*functional("sigmoid"), sample="n:*")(RULE_OF["sigmoid"])
rule(*functional("tanh"), sample="n:*")(RULE_OF["tanh"])
rule(*functional("threshold", "threshold_"), "torch.threshold", "torch.threshold_", sample="f:*, 0.5, 1.0")(
    _activation(NOT_COMPLEX & ~BOOL, "real numbers")
)


@rule(*functional("prelu"), *both("prelu"), sample="f:n c ..., f:c | f:n c ..., f:1")
def prelu(input: Any, weight: Any) -> Tensor:

    mask = common_dtype((need(input), "input"), (need(weight), "weight"), what="prelu")
    shape, slope = input.shape, weight.shape

    if pack_index(slope) is None and len(slope) > 1:
        raise ShapeError(f"{name(weight, 'weight')} has shape {show(slope)}, wanted one axis or none")
    if pack_index(slope) is None and len(slope) == 1 and slope != (1,) and pack_index(shape[:2]) is None:
        channels = entry_size(shape[1]) if len(shape) > 1 else 1
        if same(channels, entry_size(slope[0])) is False:
            raise ShapeError(
                f"{name(weight, 'weight')} has {slope[0]} slopes and {name(input, 'input')} has "
                f"{channels} channels"
            )
    return pointwise((input, "input"), dtype=mask & FLOATING or mask)


def _casts() -> None:
    for method, target in (
        ("float", FLOAT32), ("double", dtypes.FLOAT64), ("half", dtypes.FLOAT16),
        ("bfloat16", dtypes.BFLOAT16),
        ("long", dtypes.INT64), ("int", dtypes.BIT["int32"]), ("short", dtypes.BIT["int16"]),
        ("char", dtypes.BIT["int8"]), ("byte", dtypes.UINT8), ("bool", BOOL),
        ("cfloat", dtypes.COMPLEX64), ("chalf", dtypes.BIT["complex32"]),
        ("cdouble", dtypes.BIT["complex128"]),
    ):  # fmt: skip
        rule(f"torch.Tensor.{method}", sample="n:*")(_cast(target))


def _cast(target: int) -> Function:
    def cast(self: Any, memory_format: Any = None) -> Tensor:
        made = pointwise((self, "self"), dtype=target)
        return made if memory_format is None else replace(made, layout=None)

    return cast


_casts()
