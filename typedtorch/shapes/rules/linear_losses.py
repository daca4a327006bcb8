"""A linear layer and the cross entropy of what it makes, in one operator (torch 2.13)."""

from __future__ import annotations

from typing import Any

from typedtorch.shapes.equality import same
from typedtorch.shapes.rule import Layer, layer, name, rule
from typedtorch.shapes.rules.forms import functional, need
from typedtorch.shapes.rules.linear import parameter_dtype
from typedtorch.shapes.rules.losses import cross_entropy
from typedtorch.shapes.rules.promotion import common_dtype
from typedtorch.shapes.tensor import ShapeError, Tensor, Undecided, entry_size, same_shape, show


@rule(
    *functional("linear_cross_entropy"),
    sample="F:b d, F:v d, I:b | F:d, F:v d, I: | F:b d, F:v t d, I:b t | F:b d, F:v d, F:b v | "
    "F:b d, F:v d, I:b, linear_bias=F:v | F:b d, F:v d, I:b, weight=F:v | "
    "F:b d, F:v d, I:b, reduction='none'",
)
def linear_cross_entropy(
    input: Any,
    linear_weight: Any,
    target: Any,
    *,
    linear_bias: Any = None,
    weight: Any = None,
    reduction: Any = "mean",
    ignore_index: Any = None,
    label_smoothing: Any = 0.0,
    options: Any = None,
) -> Tensor:
    """``cross_entropy(linear(input, linear_weight, linear_bias), target)``."""
    first, second = name(input, "input"), name(linear_weight, "linear_weight")
    operands = [(need(input), "input"), (need(linear_weight), "linear_weight")]
    if isinstance(linear_bias, Tensor):
        operands.append((linear_bias, "linear_bias"))
    mask = common_dtype(*operands, what="linear_cross_entropy")
    if input.rank is None or linear_weight.rank is None:
        raise Undecided
    if not 1 <= input.rank <= 2:
        raise ShapeError(f"{first} has shape {show(input.shape)}, wanted (in,) or (batch, in)")
    if linear_weight.rank < 2:
        raise ShapeError(f"{second} has shape {show(linear_weight.shape)}, wanted (classes, ..., in)")
    *batch, inner = input.shape
    *made, wanted = linear_weight.shape
    if same(entry_size(inner), entry_size(wanted)) is False:
        raise ShapeError(f"the last axis of {first} is {inner} and the last axis of {second} is {wanted}")
    if isinstance(linear_bias, Tensor) and same_shape(linear_bias.shape, tuple(made)) is False:
        who = name(linear_bias, "linear_bias")
        raise ShapeError(f"{who} has shape {show(linear_bias.shape)}, wanted {show(tuple(made))}")
    if len(made) > 1 and not batch:
        raise ShapeError(
            f"{first} has shape {show(input.shape)}, wanted (batch, in) for a loss of several axes"
        )
    logits = input.of((*batch, *made), mask).named(f"linear({first}, {second})")
    loss: Tensor = cross_entropy(logits, target, weight, reduction=reduction)
    return loss


@layer(
    "torch.nn.LinearCrossEntropyLoss",
    sample="size:d, 7 -> F:b d, I:b | size:d, 7, bias=True -> F:b d, I:b | "
    "size:d, 7, reduction='none' -> F:b d, I:b",
)
def linear_cross_entropy_loss(
    in_features: Any,
    num_classes: Any,
    *,
    out_features: Any = (),
    bias: Any = False,
    device: Any = None,
    dtype: Any = None,
    reduction: Any = "mean",
    weight: Any = None,
    ignore_index: Any = None,
    label_smoothing: Any = 0.0,
    options: Any = None,
) -> Layer:
    if not isinstance(out_features, tuple):
        raise Undecided
    outputs = (num_classes, *out_features)
    matrix = Tensor((*outputs, in_features), parameter_dtype(dtype), "linear.weight")
    offset = Tensor(outputs, matrix.dtype, "linear.bias") if bias is True else None

    def forward(input: Any, target: Any) -> Tensor:
        return linear_cross_entropy(
            input, matrix, target, linear_bias=offset, weight=weight, reduction=reduction
        )

    return Layer(forward, {"num_classes": num_classes, "out_features": out_features})
