"""Layers of convolutions and their transposes, with the number of input channels given or found."""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

from typing import Any

from typedtorch.shapes.equality import same
from typedtorch.shapes.rule import Layer, layer, name
from typedtorch.shapes.rules.convolution import SPACE, convolve, transpose_convolve
from typedtorch.shapes.rules.forms import Function, is_size, need
from typedtorch.shapes.rules.linear import own_bias, parameter_dtype
from typedtorch.shapes.rules.windows import all_sizes, each_or_unknown, spatial
from typedtorch.shapes.rules.written import called
from typedtorch.shapes.size import divides, unknown
from typedtorch.shapes.tensor import (
    Entry,
    Pack,
    ShapeError,
    Tensor,
    axes_text,
    entry_size,
    show,
)


def _conv_layer(axes: int) -> Function:
    def conv_layer(
        in_channels: Any,
        out_channels: Any,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: Any = 1,
        bias: Any = True,
        padding_mode: Any = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> Layer:
        kernel = each_or_unknown(kernel_size, axes, "kernel_size")
        _check_groups(groups, in_channels=in_channels, out_channels=out_channels)
        weight = Tensor(
            (out_channels, _divided(in_channels, groups), *kernel), parameter_dtype(dtype), "weight"
        )
        offset = own_bias(out_channels, bias, dtype)

        def forward(input: Any) -> Tensor:
            _check_input(input, axes, in_channels)
            return convolve(axes, input, weight, offset, stride, padding, dilation, groups)

        held = {"weight": weight, "bias": offset, "in_channels": in_channels, "out_channels": out_channels}
        settings = _geometry(axes, kernel_size=kernel_size, stride=stride, padding=padding, dilation=dilation)
        return Layer(forward, {**held, **settings, "groups": groups})

    return conv_layer


def _transpose_layer(axes: int) -> Function:
    def transpose_layer(
        in_channels: Any,
        out_channels: Any,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: Any = 1,
        bias: Any = True,
        dilation: Any = 1,
        padding_mode: Any = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> Layer:
        kernel = each_or_unknown(kernel_size, axes, "kernel_size")
        _check_groups(groups, in_channels=in_channels, out_channels=out_channels)
        weight = Tensor(
            (in_channels, _divided(out_channels, groups), *kernel), parameter_dtype(dtype), "weight"
        )
        offset = own_bias(out_channels, bias, dtype)

        def forward(input: Any, output_size: Any = None) -> Tensor:
            _check_input(input, axes, in_channels)
            extra = output_padding if output_size is None else 0
            made = transpose_convolve(axes, input, weight, offset, stride, padding, extra, groups, dilation)
            if output_size is None:
                return made
            wanted = output_size[-axes:] if isinstance(output_size, (tuple, list)) else output_size
            sizes = each_or_unknown(wanted, axes, "output_size")
            steps = each_or_unknown(stride, axes, "stride")
            for size, least, step in zip(sizes, made.shape[-axes:], steps, strict=True):
                if all(isinstance(n, int) for n in (size, least, step)) and not 0 <= size - least < step:
                    most = least + step - 1
                    raise ShapeError(f"output_size={tuple(sizes)}: {size} is not from {least} to {most}")
            return made.of((*made.shape[:-axes], *sizes))

        held = {"weight": weight, "bias": offset, "in_channels": in_channels, "out_channels": out_channels}
        settings = _geometry(
            axes, kernel_size=kernel_size, stride=stride, padding=padding, output_padding=output_padding,
            dilation=dilation,
        )  # fmt: skip
        return Layer(forward, {**held, **settings, "groups": groups})

    return transpose_layer


def _lazy(make: Function, axes: int) -> Function:
    """The same, with the input channels found at the first call."""

    def lazy_layer(out_channels: Any, kernel_size: Any, *args: Any, **settings: Any) -> Layer:
        def forward(input: Any) -> Any:
            lead, _ = spatial(need(input), axes, name(input, "input"))
            channels: Entry = lead[-1] if lead else unknown()
            found = unknown() if isinstance(channels, Pack) else channels
            return make(found, out_channels, kernel_size, *args, **settings).forward(input)

        return Layer(forward)

    return lazy_layer


def _divided(channels: Any, groups: Any) -> Any:
    return channels // groups if all_sizes(channels, groups) else unknown()


def _check_groups(groups: Any, **channels: Any) -> None:
    for parameter, value in channels.items():
        if isinstance(groups, int) and isinstance(value, int) and (groups < 1 or value % groups):
            raise ShapeError(f"groups={groups} does not divide {parameter}={value}")
        if all_sizes(groups, value) and groups != 1 and not divides(groups, value):
            continue  # a named number of groups is taken to divide


def _check_input(input: Any, axes: int, channels: Any) -> None:
    lead, _ = spatial(need(input), axes, name(input, "input"))
    if lead and not isinstance(lead[-1], Pack) and all_sizes(channels) and same(lead[-1], channels) is False:
        raise ShapeError(
            f"in_channels is {channels}, {name(input, 'input')} has {lead[-1]} channels: {show(input.shape)}",
            hint=_channels_hint(input, len(lead) - 1, channels),
        )


def _channels_hint(input: Tensor, place: int, channels: Any) -> str | None:
    """Images often come with their channels last, or with none; a side of that size is another matter."""
    if channels == 1 and place == 0 and input.rank is not None and len(input.shape) > 1:
        single = (input.shape[0], 1, *input.shape[1:])
        who = called(name(input, "input"))
        return f"without a batch the first axis is channels: {who}.unsqueeze(1) is {show(single)}"
    if input.rank is None:
        return None
    alone = f"with {axes_text(input.shape)} there is no batch: the first axis is channels"
    alone = alone if place == 0 else ""
    once = [same(e, channels) for e in input.sizes()[place:]].count(True) == 1
    if not once or same(entry_size(input.shape[-1]), channels) is not True:
        return alone or None
    moved = (*input.shape[:place], input.shape[-1], *input.shape[place:-1])
    text = f"{name(input, 'input')}.movedim(-1, {place}) puts the last axis there: {show(moved)}"
    return f"{alone}; {text}" if alone else text


def _geometry(axes: int, **given: Any) -> dict[str, Any]:
    """Settings as torch keeps them: a number once for each axis."""
    return {name: (value,) * axes if is_size(value) else value for name, value in given.items()}


def _enter(axes: int) -> None:
    space, conv, transposed = SPACE[axes], _conv_layer(axes), _transpose_layer(axes)
    layer(
        f"torch.nn.Conv{axes}d",
        sample=f"size:i, size:o, 3 -> f:b i {space} | "
        f"size:i, size:o, 3, padding=1, stride=2 -> f:i {space} | "
        f"size:i, size:o, 3, padding='same', bias=False -> f:b i {space} | "
        f"4, 6, kernel_size=2, groups=2 -> f:b 4 {space} | "
        f"size:i, size:i, 3, groups=size:i, padding=1 -> f:b i {space}",
    )(conv)
    layer(
        f"torch.nn.ConvTranspose{axes}d",
        sample=f"size:i, size:o, 3 -> f:b i {space} | size:i, size:o, 2, stride=2 -> f:b i {space} | "
        f"4, 6, 3, 2, 1, 1 -> f:4 {space}",
    )(transposed)
    sample = f"size:o, 3 -> f:b i {space}"
    layer(f"torch.nn.LazyConv{axes}d", sample=sample)(_lazy(conv, axes))
    layer(f"torch.nn.LazyConvTranspose{axes}d", sample=sample)(_lazy(transposed, axes))


for _axes in (1, 2, 3):
    _enter(_axes)
