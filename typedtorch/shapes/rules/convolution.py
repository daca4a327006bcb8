"""Convolutions and their transposes in one, two and three dimensions."""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

from typing import Any

from typedtorch.shapes.equality import same
from typedtorch.shapes.rule import name, rule
from typedtorch.shapes.rules.forms import need
from typedtorch.shapes.rules.promotion import common_dtype, mask_of
from typedtorch.shapes.rules.windows import all_sizes, each_or_unknown, spatial, window_size
from typedtorch.shapes.size import Size, product, unknown
from typedtorch.shapes.tensor import (
    ANY_AXES,
    Pack,
    Shape,
    ShapeError,
    Tensor,
    Undecided,
    show,
)


def _operands(input: Any, weight: Any, bias: Any) -> int:
    operands = [(need(input), "input"), (need(weight), "weight")]
    if isinstance(bias, Tensor):
        operands.append((bias, "bias"))
    return common_dtype(*operands, what="a convolution")


def _check_channels(lead: Shape, wanted: Any, who: str, rest: str) -> None:
    if lead and not isinstance(lead[-1], Pack) and same(lead[-1], wanted) is False:
        raise ShapeError(f"{who} has {lead[-1]} channels and {rest} {wanted}")


def _replace_channels(lead: Shape, channels: Any) -> Shape:
    if lead and isinstance(lead[-1], Pack):
        return (ANY_AXES, channels)
    return (*lead[:-1], channels)


def _check_bias(bias: Any, out: Any) -> None:
    if not isinstance(bias, Tensor) or bias.rank is None:
        return
    if len(bias.shape) != 1 or same(bias.sizes()[0], out) is False:
        raise ShapeError(f"{name(bias, 'bias')} has shape {show(bias.shape)}, wanted ({out},)")


def convolve(
    axes: int, input: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, groups: Any
) -> Tensor:
    """``(batch, in, *spatial)`` with a weight ``(out, in / groups, *kernel)``."""
    mask = _operands(input, weight, bias)
    who, other = name(input, "input"), name(weight, "weight")
    lead, sizes = spatial(need(input), axes, who)
    if need(weight).rank is None:
        return input.of((ANY_AXES, *(unknown() for _ in sizes)), mask)
    if len(weight.shape) != axes + 2:
        raise ShapeError(
            f"{other} has shape {show(weight.shape)}, wanted (out, in / groups, *kernel), {axes + 2} axes"
        )
    out, inner, *kernel = weight.sizes()
    if (isinstance(groups, int) and groups < 1) or (
        isinstance(groups, int) and isinstance(out, int) and out % groups
    ):
        raise ShapeError(f"groups={groups} does not divide the {out} output channels")
    _check_channels(
        lead,
        inner * groups if all_sizes(groups) else unknown(),
        who,
        f"the weight of {groups} groups takes" if groups != 1 else "the weight takes",
    )
    _check_bias(bias, out)
    made = _convolved(sizes, kernel, stride, padding, dilation, axes)
    return input.of((*_replace_channels(lead, out), *made), mask)


def _convolved(
    sizes: list[Size], kernel: list[Any], stride: Any, padding: Any, dilation: Any, axes: int
) -> list[Size]:
    strides = each_or_unknown(stride, axes, "stride")
    dilations = each_or_unknown(dilation, axes, "dilation")
    if padding == "same":
        if any(isinstance(s, int) and s != 1 for s in strides):
            raise ShapeError("padding='same' is for stride 1 only")
        return list(sizes)
    if isinstance(padding, str) and padding != "valid":
        raise ShapeError(f"padding={padding!r}, wanted 'same', 'valid' or numbers")
    paddings = [0] * axes if padding == "valid" else each_or_unknown(padding, axes, "padding")
    return [window_size(*one) for one in zip(sizes, kernel, strides, paddings, dilations, strict=True)]


def convolution_flops(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: Any = 1,
) -> Size:
    """2 FLOPs for each product: the result's elements times the weight of one output channel."""
    axes = len(need(weight).shape) - 2
    made = convolve(axes, input, weight, None, stride, padding, dilation, groups)
    return 2 * product(made.sizes()) * product(need(weight).sizes()[1:])


def transpose_convolve(
    axes: int,
    input: Any,
    weight: Any,
    bias: Any,
    stride: Any,
    padding: Any,
    output_padding: Any,
    groups: Any,
    dilation: Any,
) -> Tensor:
    """``(n - 1) s - 2 p + d (k - 1) + output_padding + 1``, with a weight ``(in, out / groups, *kernel)``."""
    mask = _operands(input, weight, None)
    if isinstance(bias, Tensor) and not mask_of(bias) & mask:
        raise Undecided
    who, other = name(input, "input"), name(weight, "weight")
    lead, sizes = spatial(need(input), axes, who)
    if need(weight).rank is None:
        return input.of((ANY_AXES, *(unknown() for _ in sizes)), mask)
    if len(weight.shape) != axes + 2:
        raise ShapeError(
            f"{other} has shape {show(weight.shape)}, wanted (in, out / groups, *kernel), {axes + 2} axes"
        )
    inner, part, *kernel = weight.sizes()
    if isinstance(groups, int) and isinstance(inner, int) and (groups < 1 or inner % groups):
        raise ShapeError(f"groups={groups} does not divide the {inner} input channels")
    out = part * groups if all_sizes(groups) else unknown()
    _check_channels(lead, inner, who, "the weight takes")
    _check_bias(bias, out)
    columns = [
        each_or_unknown(v, axes, w)
        for v, w in (
            (stride, "stride"),
            (padding, "padding"),
            (output_padding, "output_padding"),
            (dilation, "dilation"),
        )
    ]
    if 0 not in input.shape:  # of nothing it is not looked at
        _check_output_padding(columns)
    made = [_transposed(*one) for one in zip(sizes, kernel, *columns, strict=True)]
    return input.of((*_replace_channels(lead, out), *made), mask)


def _check_output_padding(columns: list[list[Any]]) -> None:
    for stride, _, extra, dilation in zip(*columns, strict=True):
        if all(isinstance(v, int) for v in (extra, stride, dilation)) and extra >= max(stride, dilation):
            raise ShapeError(
                f"output_padding={extra} must be smaller than stride={stride} or dilation={dilation}"
            )


def _transposed(size: Size, kernel: Any, stride: Any, padding: Any, extra: Any, dilation: Any) -> Size:
    made: Size = (size - 1) * stride - 2 * padding + dilation * (kernel - 1) + extra + 1
    if isinstance(made, int) and made < 0:
        raise ShapeError(f"the result's axis would be {made}")
    if made == 0:
        raise Undecided  # it depends on the kernel that is chosen
    return made


SPACE = {1: "T", 2: "H W", 3: "H W D"}  # letters of the spatial axes in samples
_KERNEL = {1: "3", 2: "3 3", 3: "3 2 3"}


def _enter(axes: int) -> None:
    def conv(
        input: Any,
        weight: Any,
        bias: Any = None,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: Any = 1,
    ) -> Tensor:
        return convolve(axes, input, weight, bias, stride, padding, dilation, groups)

    def conv_transpose(
        input: Any,
        weight: Any,
        bias: Any = None,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: Any = 1,
        dilation: Any = 1,
    ) -> Tensor:
        return transpose_convolve(
            axes, input, weight, bias, stride, padding, output_padding, groups, dilation
        )

    space, kernel = SPACE[axes], _KERNEL[axes]
    names = [f"{p}.conv{axes}d" for p in ("torch", "torch.nn.functional")]
    rule(*names, flops=convolution_flops, sample=(
        f"f:b i {space}, f:o i {kernel}, f:o | f:i {space}, f:o i {kernel}, None, 2, 1 | "
            f"f:b i {space}, f:o i {kernel}, padding='same' | "
        f"f:b 2*i {space}, f:2*o i {kernel}, f:2*o, groups=2, stride=2 | "
            f"f:b i {space}, f:o i {kernel}, None, 1, 1, 2"))(conv)  # fmt: skip
    names = [f"{p}.conv_transpose{axes}d" for p in ("torch", "torch.nn.functional")]
    rule(*names, sample=(
        f"f:b i {space}, f:i o {kernel}, f:o | f:i {space}, f:i o {kernel}, None, 2, 1, 1 | "
            f"f:b 2*i {space}, f:2*i o {kernel}, f:2*o, groups=2"))(conv_transpose)  # fmt: skip


for _axes in (1, 2, 3):
    _enter(_axes)
