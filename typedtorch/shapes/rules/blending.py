"""Operators on three operands and more: interpolation, clamping, choice by a mask."""

from __future__ import annotations

from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.dtypes import BOOL, FLOAT32, FLOATING, INTEGRAL, NOT_COMPLEX
from typedtorch.shapes.rule import name, rule
from typedtorch.shapes.rules.forms import (
    both,
    need,
    pointwise,
)
from typedtorch.shapes.rules.pointwise import checked_dtype, inplace
from typedtorch.shapes.rules.promotion import common_dtype, mask_of, result_type, to_real, want
from typedtorch.shapes.rules.sorting import nonzero
from typedtorch.shapes.tensor import ShapeError, Tensor, Undecided


@rule(*both("lerp"), sample="f:#*, f:#*, f:#* | f:#*, f:#*, 0.5")
def lerp(input: Any, end: Any, weight: Any, *, out: Any = None) -> Tensor:

    operands = ((input, "input"), (end, "end"), (weight, "weight"))
    tensors = [(t, p) for t, p in operands if isinstance(t, Tensor) and (p != "weight" or t.shape)]
    mask = common_dtype(*tensors, what="lerp")
    if isinstance(weight, Tensor) and not mask_of(weight) & mask:
        raise Undecided  # a weight without axes may promote
    return pointwise((input, "input"), (end, "end"), (weight, "weight"), dtype=mask)


@rule(*both("addcmul"), sample="f:#*, f:#*, f:#* | f:#*, f:#*, f:#*, value=0.5")
def addcmul(input: Any, tensor1: Any, tensor2: Any, *, value: Any = 1, out: Any = None) -> Tensor:
    mask = result_type(input, tensor1, tensor2)
    return pointwise((input, "input"), (tensor1, "tensor1"), (tensor2, "tensor2"), dtype=mask)


@rule(*both("addcdiv"), sample="f:#*, f:#*, f:#* | f:#*, f:#*, f:#*, value=0.5 | f:*, i:*, i:*")
def addcdiv(input: Any, tensor1: Any, tensor2: Any, *, value: Any = 1, out: Any = None) -> Tensor:
    if not (mask_of(need(tensor1)) | mask_of(need(tensor2))) & ~INTEGRAL:
        raise ShapeError(
            f"{name(tensor1, 'tensor1')} and {name(tensor2, 'tensor2')} are integers, which addcdiv does "
            "not divide",
            "dtype",
        )
    return addcmul(input, tensor1, tensor2, value=value)


inplace("lerp", of={"lerp": lerp}, sample="f:*, f:#*, 0.5")
inplace("addcmul", "addcdiv", of={"addcmul": addcmul, "addcdiv": addcdiv}, sample="f:*, f:#*, f:#*")


@rule(
    *both("clamp", "clip"),
    sample="r:*, num, num | r:*, num | r:*, max=num | r:#*, r:#*, r:#* | f:*, min=f:#*",
)
def clamp(input: Any, min: Any = None, max: Any = None, *, out: Any = None) -> Tensor:
    bounds = [(b, p) for b, p in ((min, "min"), (max, "max")) if b is not None]
    if not bounds:
        raise ShapeError("clamp needs min or max")
    operands = [(input, "input"), *bounds]
    mask = checked_dtype(NOT_COMPLEX, "real numbers", *operands)
    numbers = [not isinstance(bound, Tensor) for bound, _ in bounds]
    if any(numbers) and not all(numbers) and not mask_of(need(input)) & ~INTEGRAL:
        mask |= FLOAT32 if mask & FLOATING else 0  # beside a tensor a number counts as one
    return pointwise(*operands, dtype=mask)


@rule(*both("clamp_min"), sample="r:*, num | r:#*, r:#*")
def clamp_min(input: Any, min: Any, *, out: Any = None) -> Tensor:
    return clamp(input, min)


@rule(*both("clamp_max"), sample="r:*, num | r:#*, r:#*")
def clamp_max(input: Any, max: Any, *, out: Any = None) -> Tensor:
    return clamp(input, None, max)


inplace(
    "clamp", "clip", "clamp_min", "clamp_max",
    of={"clamp": clamp, "clip": clamp, "clamp_min": clamp_min, "clamp_max": clamp_max},
    sample="r:*, num | r:*, r:#*",
)  # fmt: skip


@rule("torch.where", sample="b:#*, n:#*, n:#* | b:#*, n:#*, num | b:*, num, num")
def where(condition: Any, input: Any = None, other: Any = None, *, out: Any = None) -> Any:
    """Choose by a mask; with the mask alone, the indices of its true elements."""
    mask = need(condition)
    if input is None and other is None:
        return nonzero(condition, as_tuple=True)
    want(mask, BOOL | dtypes.UINT8, "condition", "a bool mask", "compare: x != 0")
    shape = pointwise((condition, "condition"), (input, "input"), (other, "other"), dtype=BOOL)
    return shape.of(shape.shape, result_type(input, other))


@rule("torch.Tensor.where", sample="n:#*, b:#*, n:#* | n:#*, b:#*, num")
def where_method(self: Any, condition: Any, other: Any) -> Any:
    return where(condition, self, other)


@rule(*both("dist"), sample="f:#*, f:#* | f:#*, f:#*, 2")
def dist(input: Any, other: Any, p: Any = 2) -> Tensor:
    result = pointwise((input, "input"), (other, "other"), dtype=result_type(input, other))
    return result.of((), to_real(result.dtype))
