"""Modules that are a function with its settings remembered."""

from __future__ import annotations

from typing import Any

from typedtorch.shapes.rule import RULES, Layer, layer, name
from typedtorch.shapes.rules.channel_norms import lazily
from typedtorch.shapes.rules.forms import Function, need
from typedtorch.shapes.rules.linear import bilinear, linear_layer, own_bias, parameter_dtype
from typedtorch.shapes.rules.promotion import mask_of
from typedtorch.shapes.rules.reduction import cosine_similarity, glu, pairwise_distance, softmax
from typedtorch.shapes.rules.views import flatten, unflatten
from typedtorch.shapes.tensor import (
    ShapeError,
    Tensor,
    show,
)

# --- activations -------------------------------------------------------------------------------

# the module and the function it applies to its input alone
_ACTIVATIONS = {
    "ReLU": "relu", "ReLU6": "relu6", "GELU": "gelu", "SiLU": "silu", "Mish": "mish", "ELU": "elu",
    "CELU": "celu",
    "SELU": "selu", "Hardtanh": "hardtanh", "Hardswish": "hardswish", "Hardsigmoid": "hardsigmoid",
    "LeakyReLU": "leaky_relu", "LogSigmoid": "logsigmoid", "RReLU": "rrelu", "Softplus": "softplus",
    "Softshrink": "softshrink", "Hardshrink": "hardshrink", "Softsign": "softsign",
    "Tanhshrink": "tanhshrink",
    "Sigmoid": "sigmoid", "Tanh": "tanh",
}  # fmt: skip


def _activation(function: Function) -> Function:
    def make(*settings: Any, **more: Any) -> Layer:
        return Layer(function)

    return make


for _class, _function in _ACTIVATIONS.items():
    layer(f"torch.nn.{_class}", sample=" -> f:*")(
        _activation(RULES[f"torch.nn.functional.{_function}"].function)
    )


@layer("torch.nn.Threshold", sample="0.1, 20.0 -> f:*")
def threshold_layer(threshold: Any, value: Any, inplace: Any = False) -> Layer:
    return Layer(RULES["torch.threshold"].function)


@layer("torch.nn.PReLU", sample=" -> f:b c h | size:c -> f:b c h | 1 -> f:*")
def prelu_layer(num_parameters: Any = 1, init: Any = 0.25, device: Any = None, dtype: Any = None) -> Layer:
    weight = Tensor((num_parameters,), parameter_dtype(dtype), "weight")
    return Layer(lambda input: RULES["torch.prelu"].function(input, weight), {"weight": weight})


@layer("torch.nn.GLU", sample=" -> f:... 2*d | 1 -> f:b 2*c h | dim=-1 -> f:... 2*d")
def glu_layer(dim: Any = -1) -> Layer:
    return Layer(lambda input: glu(input, dim))


@layer(
    "torch.nn.Softmax",
    "torch.nn.LogSoftmax",
    "torch.nn.Softmin",
    sample="-1 -> f:b ... | dim=1 -> f:a b c | 2 -> f:a b c",
)
def softmax_layer(dim: Any = None) -> Layer:
    return Layer(
        lambda input: softmax(input, dim) if dim is not None else need(input).of(input.shape, mask_of(input))
    )


@layer("torch.nn.Softmax2d", sample=" -> f:b c h w | -> f:c h w")
def softmax2d_layer() -> Layer:
    def forward(input: Any) -> Tensor:
        if need(input).rank not in (None, 3, 4):
            raise ShapeError(
                f"{name(input, 'input')} has shape {show(input.shape)}, wanted (batch, channels, "
                "height, width)"
            )
        return softmax(input, -3)

    return Layer(forward)


# --- shapes ------------------------------------------------------------------------------------


@layer("torch.nn.Identity", sample=" -> n:*")
def identity_layer(*args: Any, **more: Any) -> Layer:
    return Layer(lambda input: input)


@layer("torch.nn.Flatten", sample=" -> f:b c h w | -> f:b c | 0 -> f:a b | 1, 2 -> f:a b c d")
def flatten_layer(start_dim: Any = 1, end_dim: Any = -1) -> Layer:
    return Layer(lambda input: flatten(input, start_dim, end_dim))


@layer("torch.nn.Unflatten", sample="1, (2, size:b) -> f:a 2*b c | -1, (3, -1) -> f:a 3*b")
def unflatten_layer(dim: Any, unflattened_size: Any) -> Layer:
    return Layer(lambda input: unflatten(input, dim, unflattened_size))


# --- products ----------------------------------------------------------------------------------

layer("torch.nn.LazyLinear", sample="size:k -> f:... d")(lazily(linear_layer, -1))


@layer("torch.nn.Bilinear", sample="size:a, size:b, size:k -> f:... a, f:... b")
def bilinear_layer(
    in1_features: Any,
    in2_features: Any,
    out_features: Any,
    bias: Any = True,
    device: Any = None,
    dtype: Any = None,
) -> Layer:
    weight = Tensor((out_features, in1_features, in2_features), parameter_dtype(dtype), "weight")
    held = {"weight": weight, "bias": own_bias(out_features, bias, dtype)}
    return Layer(lambda input1, input2: bilinear(input1, input2, weight), held)


@layer("torch.nn.CosineSimilarity", sample=" -> f:b d, f:b d | dim=-1 -> f:a b c, f:a b c")
def cosine_layer(dim: Any = 1, eps: Any = 1e-08) -> Layer:
    return Layer(lambda x1, x2: cosine_similarity(x1, x2, dim))


@layer("torch.nn.PairwiseDistance", sample=" -> f:b d, f:b d | 2.0, keepdim=True -> f:b d, f:b d")
def pairwise_layer(p: Any = 2.0, eps: Any = 1e-06, keepdim: Any = False) -> Layer:
    return Layer(lambda x1, x2: pairwise_distance(x1, x2, p, eps, keepdim))
