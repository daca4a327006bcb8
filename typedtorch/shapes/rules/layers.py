"""Modules that are a function with its settings remembered."""

from __future__ import annotations

from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.dtypes import ANY, COMPLEX, FLOATING
from typedtorch.shapes.rule import RULES, Layer, layer, name, rule
from typedtorch.shapes.rules.forms import Function, functional, is_size, need
from typedtorch.shapes.rules.linear import bilinear, linear_layer, parameter_dtype
from typedtorch.shapes.rules.normalisation import _lazy
from typedtorch.shapes.rules.promotion import mask_of, want
from typedtorch.shapes.rules.reduction import cosine_similarity, glu, pairwise_distance, softmax
from typedtorch.shapes.rules.views import flatten, unflatten
from typedtorch.shapes.size import product, same, unknown
from typedtorch.shapes.tensor import (
    Entry,
    Pack,
    ShapeError,
    Tensor,
    Undecided,
    entry_size,
    pack_index,
    show,
)

# --- activations -------------------------------------------------------------------------------

# the module and the function it applies to its input alone
_ACTIVATIONS = {
    "ReLU": "relu", "ReLU6": "relu6", "GELU": "gelu", "SiLU": "silu", "Mish": "mish", "ELU": "elu", "CELU": "celu",
    "SELU": "selu", "Hardtanh": "hardtanh", "Hardswish": "hardswish", "Hardsigmoid": "hardsigmoid",
    "LeakyReLU": "leaky_relu", "LogSigmoid": "logsigmoid", "RReLU": "rrelu", "Softplus": "softplus",
    "Softshrink": "softshrink", "Hardshrink": "hardshrink", "Softsign": "softsign", "Tanhshrink": "tanhshrink",
    "Sigmoid": "sigmoid", "Tanh": "tanh",
}  # fmt: skip


def _activation(function: Function) -> Function:
    def make(*settings: Any, **more: Any) -> Layer:
        return Layer(lambda input: function(input))

    return make


for _class, _function in _ACTIVATIONS.items():
    layer(f"torch.nn.{_class}", sample=" -> f:*")(
        _activation(RULES[f"torch.nn.functional.{_function}"].function)
    )


@layer("torch.nn.Threshold", sample="0.1, 20.0 -> f:*")
def threshold_layer(threshold: Any, value: Any, inplace: Any = False) -> Layer:
    return Layer(lambda input: RULES["torch.threshold"].function(input))


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
                f"{name(input, 'input')} has shape {show(input.shape)}, wanted (batch, channels, height, width)"
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

layer("torch.nn.LazyLinear", sample="size:k -> f:... d")(_lazy(linear_layer, -1))


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
    return Layer(lambda input1, input2: bilinear(input1, input2, weight), {"weight": weight})


@layer("torch.nn.CosineSimilarity", sample=" -> f:b d, f:b d | dim=-1 -> f:a b c, f:a b c")
def cosine_layer(dim: Any = 1, eps: Any = 1e-08) -> Layer:
    return Layer(lambda x1, x2: cosine_similarity(x1, x2, dim))


@layer("torch.nn.PairwiseDistance", sample=" -> f:b d, f:b d | 2.0, keepdim=True -> f:b d, f:b d")
def pairwise_layer(p: Any = 2.0, eps: Any = 1e-06, keepdim: Any = False) -> Layer:
    return Layer(lambda x1, x2: pairwise_distance(x1, x2, p, eps, keepdim))


# --- padding -----------------------------------------------------------------------------------


@rule(*functional("pad"), sample=(
    "f:... d, (1, 2) | f:... h w, (1, 1, 0, 2) | f:b c W, (2, 1), mode='reflect' | f:b c H W, (1, 1, 2, 2), mode='replicate' | "
    "f:b c H W, (1, 1, 2, 2), 'circular' | i:a b, (0, 1), value=-1 | f:a D, (-1, -1) | f:a d, (size:n, 0)"))  # fmt: skip
def pad(input: Any, pad: Any, mode: Any = "constant", value: Any = None) -> Tensor:
    """Amounts in pairs, from the last axis backwards."""
    tensor, who = need(input), name(input, "input")
    if not isinstance(pad, (tuple, list)):
        raise Undecided
    if len(pad) % 2:
        raise ShapeError(f"pad={tuple(pad)} has {len(pad)} numbers, wanted pairs")
    axes = len(pad) // 2
    if tensor.rank is not None and axes > len(tensor.shape):
        raise ShapeError(f"pad={tuple(pad)} is for {axes} axes and {who} has shape {show(tensor.shape)}")
    if isinstance(mode, str) and mode != "constant":
        _check_mode(tensor, axes, mode, who, pad)
    shape: list[Entry] = list(tensor.shape)
    for i in range(axes):
        place = len(shape) - 1 - i
        if place < 0 or isinstance(shape[place], Pack):
            return tensor.of((Pack("..."), *shape[place + 1 :]), mask_of(tensor))
        before, after = (p if is_size(p) else unknown() for p in pad[2 * i : 2 * i + 2])
        made = entry_size(shape[place]) + before + after
        if isinstance(made, int) and made < 0:
            raise ShapeError(
                f"pad={tuple(pad)} takes away more than axis {place} of {who} has, {shape[place]}"
            )
        shape[place] = made
    return tensor.of(shape, mask_of(tensor))


def _check_mode(tensor: Tensor, axes: int, mode: str, who: str, amounts: Any) -> None:
    if mode not in ("reflect", "replicate", "circular"):
        raise ShapeError(f"mode={mode!r}, wanted 'constant', 'reflect', 'replicate' or 'circular'")
    least = axes + 1
    if tensor.rank is not None and len(tensor.shape) not in (least, least + 1):
        raise ShapeError(
            f"mode={mode!r} with {axes} padded axes wants {least} or {least + 1} axes, {who} has shape {show(tensor.shape)}"
        )
    for i in range(axes):
        size = tensor.shape[len(tensor.shape) - 1 - i] if tensor.rank is not None else None
        pair = [p for p in amounts[2 * i : 2 * i + 2] if isinstance(p, int)]
        limit = size if mode == "reflect" else size + 1 if isinstance(size, int) else None
        if isinstance(limit, int) and mode != "replicate" and any(p >= limit for p in pair):
            raise ShapeError(
                f"mode={mode!r}: padding by {max(pair)} needs more than the {size} elements of axis -{i + 1} of {who}"
            )


def _pad_layer(axes: int, mode: str) -> Function:
    def make(padding: Any, value: Any = 0.0) -> Layer:
        amounts = [padding] * (2 * axes) if is_size(padding) else list(padding)
        if len(amounts) != 2 * axes:
            raise Undecided

        def forward(input: Any) -> Tensor:
            return pad(input, amounts, mode)

        return Layer(forward)

    return make


for _axes in (1, 2, 3):
    _space = {1: "W", 2: "H W", 3: "D H W"}[_axes]
    for _class, _mode in (
        ("Constant", "constant"),
        ("Zero", "constant"),
        ("Reflection", "reflect"),
        ("Replication", "replicate"),
        ("Circular", "circular"),
    ):
        _settings = "1, 0.5" if _class == "Constant" else "1"
        layer(
            f"torch.nn.{_class}Pad{_axes}d",
            sample=f"{_settings} -> F:b c {_space} | ({', '.join(['1', '2'] * _axes)}{', ' if False else ''}){', 0.0' if _class == 'Constant' else ''} -> F:c {_space}",
        )(_pad_layer(_axes, _mode))


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
    "F:b c T, 5 | F:b c H W, (4, 6) | F:b c H W, scale_factor=2 | F:b c H W, scale_factor=0.5, mode='bilinear' | F:b c H W, size:n, mode='bicubic' | "
    "F:b c T, scale_factor=2.0, mode='linear' | F:b c D H W, scale_factor=2, mode='trilinear' | F:b c H W, scale_factor=(2.0, 3.0)"))  # fmt: skip
def interpolate(
    input: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: Any = "nearest",
    align_corners: Any = None,
    recompute_scale_factor: Any = None,
    antialias: Any = False,
) -> Tensor:
    tensor, who = need(input), name(input, "input")
    if (size is None) == (scale_factor is None):
        raise ShapeError("interpolate takes either size or scale_factor")
    wanted = (
        {"linear": 3, "bilinear": 4, "bicubic": 4, "trilinear": 5}.get(mode)
        if isinstance(mode, str)
        else None
    )
    if tensor.rank is not None and (
        len(tensor.shape) not in (3, 4, 5) or wanted not in (None, len(tensor.shape))
    ):
        raise ShapeError(
            f"mode={mode!r} on {who} of shape {show(tensor.shape)}: wanted {f'{wanted} axes' if wanted else '3 to 5 axes'}"
        )
    allowed = FLOATING if mode in ("linear", "trilinear") else FLOATING | dtypes.UINT8
    mask = want(tensor, allowed if mode != "nearest" else ANY & ~COMPLEX, "input", "a floating dtype")
    if tensor.rank is None:
        return tensor.of(
            (*tensor.shape[:2], Pack("..."))
            if pack_index(tensor.shape[:2]) is None and len(tensor.shape) > 2
            else (Pack("..."),),
            mask,
        )
    axes = len(tensor.shape) - 2
    if size is not None:
        sizes = [size] * axes if is_size(size) else list(size)
        if len(sizes) != axes:
            raise ShapeError(
                f"size={tuple(sizes)} has {len(sizes)} numbers and {who} has {axes} spatial axes"
            )
        return tensor.of((*tensor.shape[:2], *(s if is_size(s) else unknown() for s in sizes)), mask)
    factors = list(scale_factor) if isinstance(scale_factor, (tuple, list)) else [scale_factor] * axes
    if len(factors) != axes:
        raise ShapeError(
            f"scale_factor={tuple(factors)} has {len(factors)} numbers and {who} has {axes} spatial axes"
        )
    return tensor.of(
        (
            *tensor.shape[:2],
            *(_scaled(entry_size(s), f) for s, f in zip(tensor.shape[2:], factors, strict=True)),
        ),
        mask,
    )


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
    return Layer(lambda input: interpolate(input, size, scale_factor, mode))


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


@rule(*functional("grid_sample"), sample="F:b c H W, F:b h w 2 | F:b c D H W, F:b d h w 3")
def grid_sample(
    input: Any, grid: Any, mode: Any = "bilinear", padding_mode: Any = "zeros", align_corners: Any = None
) -> Tensor:
    """``(b, c, *in), (b, *out, axes) -> (b, c, *out)``."""
    from typedtorch.shapes.rules.promotion import common_dtype

    mask = common_dtype((need(input), "input"), (need(grid), "grid"), what="grid_sample")
    if input.rank is None or grid.rank is None:
        raise Undecided
    axes = len(input.shape) - 2
    if axes not in (2, 3) or len(grid.shape) != len(input.shape):
        raise ShapeError(
            f"{name(input, 'input')} has shape {show(input.shape)} and {name(grid, 'grid')} {show(grid.shape)}, wanted (b, c, h, w) and (b, h, w, 2)"
        )
    if same(input.sizes()[0], grid.sizes()[0]) is False:
        raise ShapeError(
            f"the first axis of {name(input, 'input')} is {input.shape[0]} and of {name(grid, 'grid')} {grid.shape[0]}"
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
    if not isinstance(size, (tuple, list)) or theta.rank is None:
        raise Undecided
    axes = len(size) - 2
    wanted = (size[0], axes, axes + 1)
    if (
        axes not in (2, 3)
        or len(theta.shape) != 3
        or any(same(a, b) is False for a, b in zip(theta.sizes(), wanted, strict=True) if is_size(b))
    ):
        raise ShapeError(
            f"{name(theta, 'theta')} has shape {show(theta.shape)}, wanted {show(wanted)} for size={tuple(size)}"
        )
    return theta.of((*(s if is_size(s) else unknown() for s in (size[0], *size[2:])), axes), mask)


# --- blocks of images --------------------------------------------------------------------------


@rule(*functional("unfold"), sample="F:b c H W, 3 | F:c H W, (2, 3), 1, 1, 2 | F:b c H W, 2, stride=2")
def unfold(input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """``(b, c, h, w) -> (b, c * kernel, blocks)``."""
    from typedtorch.shapes.rules.windows import each, spatial, window_size

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
    blocks = [window_size(*one) for one in zip(sizes, *settings, strict=True)]
    if isinstance(lead[-1], Pack):
        return input.of((Pack("..."), unknown(), product(blocks)), mask_of(input))
    return input.of(
        (*lead[:-1], entry_size(lead[-1]) * product(settings[0]), product(blocks)), mask_of(input)
    )


@rule(*functional("fold"), sample="F:b 4*c 9, (4, 4), 2 | F:4*c 4, (4, 4), 2, stride=2")
def fold(
    input: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Tensor:
    """``(b, c * kernel, blocks) -> (b, c, h, w)``."""
    from typedtorch.shapes.rules.windows import each, window_size

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
