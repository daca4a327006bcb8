"""What images are put through: rearranged pixels, resizing, blocks; functions and layers."""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.dtypes import FLOATING, NOT_COMPLEX
from typedtorch.shapes.equality import same
from typedtorch.shapes.rule import Layer, layer, name, rule
from typedtorch.shapes.rules.forms import counted, functional, is_size, need
from typedtorch.shapes.rules.promotion import common_dtype, mask_of, want
from typedtorch.shapes.rules.windows import each, spatial, window_size
from typedtorch.shapes.size import product, unknown
from typedtorch.shapes.tensor import (
    UNKNOWN,
    Pack,
    ShapeError,
    Tensor,
    Undecided,
    axes_text,
    entry_size,
    pack_index,
    show,
)

# --- rearranged pixels -------------------------------------------------------------------------


def _ranked(input: Any, least: int, wanted: str) -> Tensor:
    tensor = need(input)
    if tensor.rank is not None and len(tensor.shape) < least:
        raise ShapeError(f"{name(input, 'input')} has shape {show(tensor.shape)}, wanted {wanted}")
    if pack_index(tensor.shape[-least:]) is not None or len(tensor.shape) < least:
        raise Undecided
    return tensor


@rule(*functional("pixel_shuffle"), *("torch.pixel_shuffle",), sample="f:... 4*c h w, 2 | f:b 9*c h w, 3")
def pixel_shuffle(input: Any, upscale_factor: Any) -> Tensor:
    """``(..., c r r, h, w) -> (..., c, h r, w r)``."""
    tensor = _ranked(input, 3, "(..., channels, height, width)")
    r = upscale_factor if is_size(upscale_factor) else unknown()
    c, h, w = (entry_size(e) for e in tensor.shape[-3:])
    if isinstance(c, int) and isinstance(r, int) and (r < 1 or c % (r * r)):
        raise ShapeError(f"{name(input, 'input')} has {c} channels, not a multiple of {r}*{r}")
    return tensor.of((*tensor.shape[:-3], c // (r * r), h * r, w * r), mask_of(tensor))


@rule(*functional("pixel_unshuffle"), "torch.pixel_unshuffle", sample="f:... c 2*h 2*w, 2 | f:b c 3*h 3*w, 3")
def pixel_unshuffle(input: Any, downscale_factor: Any) -> Tensor:
    """``(..., c, h r, w r) -> (..., c r r, h, w)``."""
    tensor = _ranked(input, 3, "(..., channels, height, width)")
    r = downscale_factor if is_size(downscale_factor) else unknown()
    c, h, w = (entry_size(e) for e in tensor.shape[-3:])
    for size in (h, w):
        if isinstance(size, int) and isinstance(r, int) and (r < 1 or size % r):
            raise ShapeError(
                f"{r} does not divide the height {h} and the width {w} of {name(input, 'input')}"
            )
    return tensor.of((*tensor.shape[:-3], c * r * r, h // r, w // r), mask_of(tensor))


@rule(
    *functional("channel_shuffle", "native_channel_shuffle"),
    "torch.channel_shuffle",
    sample="f:b 2*c h w, 2 | f:b 4 h w, 2",
)
def channel_shuffle(input: Any, groups: Any) -> Tensor:
    tensor = need(input)
    if tensor.rank is not None and len(tensor.shape) < 3:
        raise ShapeError(
            f"{name(input, 'input')} has shape {show(tensor.shape)}, wanted (batch, channels, ...)"
        )
    channels = tensor.shape[1] if len(tensor.shape) > 1 and pack_index(tensor.shape[:2]) is None else None
    if isinstance(channels, int) and isinstance(groups, int) and (groups < 1 or channels % groups):
        raise ShapeError(f"groups={groups} does not divide the {channels} channels of {name(input, 'input')}")
    return tensor.of(tensor.shape, mask_of(tensor))


layer("torch.nn.PixelShuffle", sample="2 -> f:b 4*c h w")(
    lambda upscale_factor: Layer(lambda input: pixel_shuffle(input, upscale_factor))
)
layer("torch.nn.PixelUnshuffle", sample="2 -> f:b c 2*h 2*w")(
    lambda downscale_factor: Layer(lambda input: pixel_unshuffle(input, downscale_factor))
)
layer("torch.nn.ChannelShuffle", sample="2 -> f:b 2*c h w")(
    lambda groups: Layer(lambda input: channel_shuffle(input, groups))
)


# --- resizing ----------------------------------------------------------------------------------


@rule(*functional("interpolate", "upsample"), sample=(
    "F:b c T, 5 | F:b c H W, (4, 6) | F:b c H W, scale_factor=2 | "
        "F:b c H W, scale_factor=0.5, mode='bilinear' | F:b c H W, size:n, mode='bicubic' | "
    "F:b c T, scale_factor=2.0, mode='linear' | F:b c D H W, scale_factor=2, mode='trilinear' | "
        "F:b c H W, scale_factor=(2.0, 3.0)"))  # fmt: skip
def interpolate(
    input: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: Any = "nearest",
    align_corners: Any = None,
    recompute_scale_factor: Any = None,
    antialias: Any = False,
) -> Tensor:
    tensor = need(input)
    if size is not None and scale_factor is not None and UNKNOWN in (size, scale_factor):
        size, scale_factor = (None, scale_factor) if size is UNKNOWN else (size, None)  # one is None
    if (size is None) == (scale_factor is None):
        raise ShapeError("interpolate takes either size or scale_factor")
    _check_mode(tensor, mode)
    _check_flags(tensor, size, mode, align_corners, recompute_scale_factor, antialias)
    allowed = FLOATING if mode in ("linear", "trilinear") else FLOATING | dtypes.UINT8
    mask = want(tensor, allowed if mode != "nearest" else NOT_COMPLEX, "input", "a floating dtype")
    if tensor.rank is None:
        seen = pack_index(tensor.shape[:2]) is None and len(tensor.shape) > 2
        return tensor.of((*tensor.shape[:2], Pack("...")) if seen else (Pack("..."),), mask)
    if size is not None:
        sizes = [s if is_size(s) else unknown() for s in _for_each(tensor, "size", size)]
    else:
        factors = _for_each(tensor, "scale_factor", scale_factor)
        sizes = [_scaled(entry_size(s), f) for s, f in zip(tensor.shape[2:], factors, strict=True)]
    known = isinstance(mode, str) and mode != "area"
    if known and any(isinstance(s, int) and s < 1 for s in (*sizes, *tensor.shape[2:])):
        raise ShapeError(f"from {show(tensor.shape[2:])} to {show(sizes)}: every size is at least 1")
    return tensor.of((*tensor.shape[:2], *sizes), mask)


def _check_mode(tensor: Tensor, mode: Any) -> None:
    """The number of axes against that which a mode is for."""
    modes = {"linear": 3, "bilinear": 4, "bicubic": 4, "trilinear": 5}
    wanted = modes.get(mode) if isinstance(mode, str) else None
    if tensor.rank is not None and (tensor.rank not in (3, 4, 5) or wanted not in (None, tensor.rank)):
        raise ShapeError(
            f"mode={mode!r} on {name(tensor, 'input')} of shape {show(tensor.shape)}: wanted "
            f"{f'{wanted} axes' if wanted else '3 to 5 axes'}"
        )


def _check_flags(
    tensor: Tensor, size: Any, mode: Any, align_corners: Any, recompute: Any, antialias: Any
) -> None:
    """What only some modes take, and only a scale factor.

    Raises:
        ShapeError: it is given with another mode, or with a size.
    """
    if isinstance(align_corners, bool) and mode in ("nearest", "nearest-exact", "area"):
        raise ShapeError(f"mode={mode!r} takes no align_corners, got {align_corners}")
    if recompute is True and size is not None:
        raise ShapeError("recompute_scale_factor is for scale_factor, and size is given")
    if antialias is True and (mode in _COARSE or tensor.rank not in (None, 4)):
        raise ShapeError(
            f"antialias is for mode='bilinear' or 'bicubic' and 4 axes, got mode={mode!r} and "
            f"{axes_text(tensor.shape)}"
        )


_COARSE = ("nearest", "nearest-exact", "area", "linear", "trilinear")


def _for_each(tensor: Tensor, parameter: str, value: Any) -> list[Any]:
    """One number for each spatial axis."""
    axes = len(tensor.shape) - 2
    given = counted(value) if isinstance(value, (tuple, list)) else [value] * axes
    if len(given) != axes:
        who = name(tensor, "input")
        raise ShapeError(
            f"{parameter}={tuple(given)} has {len(given)} numbers and {who} has {axes} spatial axes"
        )
    return given


def _scaled(size: Any, factor: Any) -> Any:
    """``floor(size * factor)``."""
    if isinstance(size, int) and isinstance(factor, (int, float)):
        return int(size * factor)
    if isinstance(factor, (int, float)) and not isinstance(factor, bool):
        if float(factor).is_integer():
            return size * int(factor)
        if factor > 0 and (1 / factor).is_integer():
            return size // int(1 / factor)
    return size * factor if is_size(factor) else unknown()


@layer(
    "torch.nn.Upsample",
    sample="scale_factor=2 -> F:b c H W | (4, 6), mode='bilinear' -> F:b c H W | 5 -> F:b c T",
)
def upsample_layer(
    size: Any = None,
    scale_factor: Any = None,
    mode: Any = "nearest",
    align_corners: Any = None,
    recompute_scale_factor: Any = None,
) -> Layer:
    return Layer(
        lambda input: interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor)
    )


@layer("torch.nn.UpsamplingNearest2d", sample="scale_factor=2 -> F:b c H W | (4, 6) -> F:b c H W")
def nearest_layer(size: Any = None, scale_factor: Any = None) -> Layer:
    return Layer(lambda input: interpolate(_four(input), size, scale_factor))


@layer("torch.nn.UpsamplingBilinear2d", sample="scale_factor=2 -> F:b c H W | (4, 6) -> F:b c H W")
def bilinear2d_layer(size: Any = None, scale_factor: Any = None) -> Layer:
    return Layer(lambda input: interpolate(input, size, scale_factor, "bilinear"))


def _four(input: Any) -> Any:
    return input


rule(*functional("upsample_nearest"), sample="F:b c H W, scale_factor=2 | F:b c H W, (4, 6)")(
    lambda input, size=None, scale_factor=None: interpolate(input, size, scale_factor)
)
rule(*functional("upsample_bilinear"), sample="F:b c H W, scale_factor=2 | F:b c H W, (4, 6)")(
    lambda input, size=None, scale_factor=None: interpolate(input, size, scale_factor, "bilinear")
)


@rule("torch.grid_sampler", "torch.grid_sampler_2d", sample="F:b c H W, F:b h w 2, 0, 0, False")
@rule("torch.grid_sampler_3d", sample="F:b c D H W, F:b d h w 3, 0, 0, False")
def grid_sampler(
    input: Any, grid: Any, interpolation_mode: Any, padding_mode: Any, align_corners: Any
) -> Tensor:
    return grid_sample(input, grid)


@rule(*functional("grid_sample"), sample="F:b c H W, F:b h w 2 | F:b c D H W, F:b d h w 3")
def grid_sample(
    input: Any, grid: Any, mode: Any = "bilinear", padding_mode: Any = "zeros", align_corners: Any = None
) -> Tensor:
    """``(b, c, *in), (b, *out, axes) -> (b, c, *out)``."""

    mask = common_dtype((need(input), "input"), (need(grid), "grid"), what="grid_sample")
    if input.rank is None or grid.rank is None:
        raise Undecided
    axes = len(input.shape) - 2
    if axes not in (2, 3) or len(grid.shape) != len(input.shape):
        raise ShapeError(
            f"{name(input, 'input')} has shape {show(input.shape)} and {name(grid, 'grid')} "
            f"{show(grid.shape)}, wanted (b, c, h, w) and (b, h, w, 2)"
        )
    if same(input.sizes()[0], grid.sizes()[0]) is False:
        raise ShapeError(
            f"the first axis of {name(input, 'input')} is {input.shape[0]} and of "
            f"{name(grid, 'grid')} {grid.shape[0]}"
        )
    if same(grid.sizes()[-1], axes) is False:
        raise ShapeError(
            f"the last axis of {name(grid, 'grid')} is {grid.shape[-1]}, wanted {axes} coordinates"
        )
    return input.of((*input.shape[:2], *grid.shape[1:-1]), mask)


@rule(
    *functional("affine_grid"), sample="F:b 2 3, (size:b, 3, size:h, size:w) | F:b 3 4, (size:b, 1, 2, 3, 4)"
)
def affine_grid(theta: Any, size: Any, align_corners: Any = None) -> Tensor:
    mask = want(need(theta), FLOATING, "theta", "a floating dtype")
    if not isinstance(size, (tuple, list)) or theta.rank is None or pack_index(tuple(size)) is not None:
        raise Undecided
    axes = len(size) - 2
    if axes not in (2, 3):
        raise ShapeError(
            f"size={tuple(size)} has {len(size)} items, wanted (batch, channels, height, width) or one more"
        )
    wanted = (size[0], axes, axes + 1)
    if len(theta.shape) != 3 or any(
        same(a, b) is False for a, b in zip(theta.sizes(), wanted, strict=True) if is_size(b)
    ):
        raise ShapeError(
            f"{name(theta, 'theta')} has shape {show(theta.shape)}, wanted {show(wanted)} for "
            f"size={tuple(size)}"
        )
    return theta.of((*(s if is_size(s) else unknown() for s in (size[0], *size[2:])), axes), mask)


# --- blocks of images --------------------------------------------------------------------------


@rule(*functional("unfold"), sample="F:b c H W, 3 | F:c H W, (2, 3), 1, 1, 2 | F:b c H W, 2, stride=2")
def unfold(input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """``(b, c, h, w) -> (b, c * kernel, blocks)``."""

    lead, sizes = spatial(need(input), 2, name(input, "input"))
    settings = [
        each(v, 2, w)
        for v, w in (
            (kernel_size, "kernel_size"),
            (stride, "stride"),
            (padding, "padding"),
            (dilation, "dilation"),
        )
    ]
    _check_window(kernel_size, stride, padding, dilation, settings)
    blocks = [window_size(*one) for one in zip(sizes, *settings, strict=True)]
    if isinstance(lead[-1], Pack):
        return input.of((Pack("..."), unknown(), product(blocks)), mask_of(input))
    return input.of(
        (*lead[:-1], entry_size(lead[-1]) * product(settings[0]), product(blocks)), mask_of(input)
    )


def _check_window(kernel_size: Any, stride: Any, padding: Any, dilation: Any, settings: list[Any]) -> None:
    """The settings of blocks, each a number or one for each of the two axes.

    Raises:
        ShapeError: a list of one number is given, or a number is too small.
    """
    names = ("kernel_size", "stride", "padding", "dilation")
    for what, given, each_one in zip(names, (kernel_size, stride, padding, dilation), settings, strict=True):
        if isinstance(given, (tuple, list)) and len(given) == 1:
            raise ShapeError(f"{what}={given} has 1 number, wanted 2")
        least = 0 if what == "padding" else 1
        if any(isinstance(v, int) and v < least for v in each_one):
            raise ShapeError(f"{what}={given}, wanted at least {least}")


@rule(*functional("fold"), sample="F:b 4*c 9, (4, 4), 2 | F:4*c 4, (4, 4), 2, stride=2")
def fold(
    input: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Tensor:
    """``(b, c * kernel, blocks) -> (b, c, h, w)``."""

    tensor, who = need(input), name(input, "input")
    if tensor.rank is None:
        raise Undecided
    if len(tensor.shape) not in (2, 3):
        raise ShapeError(f"{who} has shape {show(tensor.shape)}, wanted (batch, channels * kernel, blocks)")
    out = each(output_size, 2, "output_size")
    settings = [
        each(v, 2, w)
        for v, w in (
            (kernel_size, "kernel_size"),
            (stride, "stride"),
            (padding, "padding"),
            (dilation, "dilation"),
        )
    ]
    area = product(settings[0])
    channels, blocks = tensor.sizes()[-2:]
    if isinstance(channels, int) and isinstance(area, int) and channels % area:
        raise ShapeError(
            f"the last but one axis of {who} is {channels}, not a multiple of the kernel's {area}"
        )
    wanted = product(window_size(*one) for one in zip(out, *settings, strict=True))
    if same(blocks, wanted) is False:
        raise ShapeError(f"{who} has {blocks} blocks, {wanted} fit in {show(out)}")
    return tensor.of((*tensor.shape[:-2], channels // area, *out), mask_of(tensor))


@layer("torch.nn.Unfold", sample="3 -> F:b c H W | (2, 3), stride=2 -> F:b c H W")
def unfold_layer(kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Layer:
    return Layer(lambda input: unfold(input, kernel_size, dilation, padding, stride))


@layer("torch.nn.Fold", sample="(4, 4), 2 -> F:b 4*c 9")
def fold_layer(
    output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Layer:
    return Layer(lambda input: fold(input, output_size, kernel_size, dilation, padding, stride))
