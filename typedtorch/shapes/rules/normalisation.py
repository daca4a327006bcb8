"""Norms, dropout, embeddings: what keeps the shape and checks a parameter's."""

from __future__ import annotations

from typing import Any

from typedtorch.shapes.dtypes import COMPLEX, FLOATING
from typedtorch.shapes.equality import same
from typedtorch.shapes.rule import Layer, layer, name, rule
from typedtorch.shapes.rules.axis_patterns import tail
from typedtorch.shapes.rules.forms import functional, is_size, need
from typedtorch.shapes.rules.linear import parameter_dtype
from typedtorch.shapes.rules.promotion import mask_of, want
from typedtorch.shapes.size import unknown
from typedtorch.shapes.tensor import (
    ANY_AXES,
    UNKNOWN,
    ShapeError,
    Tensor,
    entry_size,
    show,
)


def want_inexact(input: Any, parameter: str = "input") -> int:
    """The floating or complex dtypes of an operand.

    Raises:
        ShapeError: it has none.
    """
    hint = f"cast first: {name(input, parameter)}.float()"
    return want(need(input), FLOATING | COMPLEX, parameter, "a floating dtype", hint)


def want_floating(input: Any) -> int:
    """The floating dtypes of the input.

    Raises:
        ShapeError: it has none.
    """
    return want(
        need(input), FLOATING, "input", "a floating dtype", f"cast first: {name(input, 'input')}.float()"
    )


def shaped_like(input: Tensor, mask: int | None = None) -> Tensor:
    """A new tensor of the input's shape, and of its dtype where no other is given."""
    return input.of(input.shape, mask_of(input) if mask is None else mask)


def _trailing(input: Tensor, normalized_shape: Any) -> list[Any]:
    """The axes normalised over, checked against the last of the input.

    Raises:
        ShapeError: they differ.
    """
    if normalized_shape is UNKNOWN:
        return []
    wanted = [normalized_shape] if is_size(normalized_shape) else list(normalized_shape)
    if not wanted:
        raise ShapeError("normalized_shape is (), wanted at least one axis")
    if any(not is_size(w) for w in wanted):
        return [w if is_size(w) else unknown() for w in wanted]
    who = name(input, "input")
    if input.rank is not None and len(input.shape) < len(wanted):
        raise ShapeError(f"normalized_shape is {show(wanted)} and {who} has shape {show(input.shape)}")
    for size, entry in zip(wanted, tail(input.shape, len(wanted)), strict=True):
        if entry is not None and same(size, entry) is False:
            raise ShapeError(
                f"normalized_shape is {show(wanted)} and the last axes of {who} are "
                f"{show(input.shape[-len(wanted) :])}"
            )
    return wanted


def check_shape(parameter: Any, wanted: list[Any], label: str) -> None:
    """A parameter's shape against the sizes that it must have.

    Raises:
        ShapeError: they differ.
    """
    if not isinstance(parameter, Tensor) or parameter.rank is None or not wanted:
        return
    if len(parameter.shape) != len(wanted) or any(
        same(entry_size(x), entry_size(y)) is False for x, y in zip(parameter.shape, wanted, strict=True)
    ):
        raise ShapeError(f"{name(parameter, label)} has shape {show(parameter.shape)}, wanted {show(wanted)}")


@rule(*functional("layer_norm"), "torch.layer_norm", sample=(
    "f:... d, (size:d,) | f:... d, (size:d,), f:d, f:d | f:... h d, (size:h, size:d) | "
        "f:... d, [size:d]"))  # fmt: skip
def layer_norm(
    input: Any,
    normalized_shape: Any,
    weight: Any = None,
    bias: Any = None,
    eps: Any = 1e-05,
    cudnn_enable: Any = True,
) -> Tensor:
    mask = want_floating(input)
    wanted = _trailing(input, normalized_shape)
    check_shape(weight, wanted, "weight")
    check_shape(bias, wanted, "bias")
    return shaped_like(input, mask)


@rule(*functional("rms_norm"), "torch.rms_norm", sample="f:... d, (size:d,) | f:... d, (size:d,), f:d")
def rms_norm(input: Any, normalized_shape: Any, weight: Any = None, eps: Any = None) -> Tensor:
    mask = want_inexact(input)
    wanted = _trailing(input, normalized_shape)
    check_shape(weight, wanted, "weight")
    return shaped_like(input, mask)


def affine_parameters(shape: Any, on: Any, dtype: Any, *names: str, bias: Any = True) -> dict[str, Any]:
    """A layer's parameters of one shape; None where it has none."""
    if bias is not True and "bias" in names:
        rest = [n for n in names if n != "bias"]
        return {
            **affine_parameters(shape, on, dtype, *rest),
            "bias": None if bias is False or on is False else UNKNOWN,
        }
    axes = (ANY_AXES,) if shape is UNKNOWN else tuple(shape)
    made = Tensor(axes, parameter_dtype(dtype)) if on is True else None if on is False else UNKNOWN
    return {n: made.named(n) if isinstance(made, Tensor) else made for n in names}


@layer(
    "torch.nn.LayerNorm",
    sample="size:d -> f:... d | (size:h, size:d) -> f:... h d | size:d, elementwise_affine=False -> f:... d",
)
def layer_norm_layer(
    normalized_shape: Any,
    eps: Any = 1e-05,
    elementwise_affine: Any = True,
    bias: Any = True,
    device: Any = None,
    dtype: Any = None,
) -> Layer:
    shape = _as_tuple(normalized_shape)
    return Layer(
        lambda input: layer_norm(input, shape),
        {
            **affine_parameters(shape, elementwise_affine, dtype, "weight", "bias", bias=bias),
            "normalized_shape": shape,
        },
    )


def _as_tuple(normalized_shape: Any) -> Any:
    if normalized_shape is UNKNOWN:
        return UNKNOWN
    return (normalized_shape,) if is_size(normalized_shape) else tuple(normalized_shape)


@layer("torch.nn.RMSNorm", sample="size:d -> f:... d | (size:d,), 1e-6 -> f:... d")
def rms_norm_layer(
    normalized_shape: Any,
    eps: Any = None,
    elementwise_affine: Any = True,
    device: Any = None,
    dtype: Any = None,
) -> Layer:
    shape = _as_tuple(normalized_shape)
    return Layer(
        lambda input: rms_norm(input, shape),
        {**affine_parameters(shape, elementwise_affine, dtype, "weight"), "normalized_shape": shape},
    )
