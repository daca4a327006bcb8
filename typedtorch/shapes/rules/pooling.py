"""Pools: largest, mean, adaptive, of a norm; unpooling; as functions and layers."""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

from typing import Any

from typedtorch.shapes.dtypes import BOOL, COMPLEX, FLOATING, INT64, NOT_COMPLEX, to_float
from typedtorch.shapes.rule import Layer, layer, name, rule
from typedtorch.shapes.rules.forms import Function, counted, expect_shape, is_size, need
from typedtorch.shapes.rules.promotion import mask_of, want
from typedtorch.shapes.rules.windows import each_or_unknown, spatial, window_size
from typedtorch.shapes.size import Size, unknown
from typedtorch.shapes.tensor import UNKNOWN, Entry, ShapeError, Tensor, Undecided, show

_SPACE = {1: "T", 2: "H W", 3: "H W D"}


def _pool(
    axes: int, input: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil: Any, mask: int
) -> Tensor:
    lead, sizes = spatial(need(input), axes, name(input, "input"))
    kernels = each_or_unknown(kernel, axes, "kernel_size")
    strides = kernels if stride is None or stride in ((), []) else each_or_unknown(stride, axes, "stride")
    columns = zip(
        sizes,
        kernels,
        strides,
        each_or_unknown(padding, axes, "padding"),
        each_or_unknown(dilation, axes, "dilation"),
        strict=True,
    )
    _not_empty(input, axes)
    if ceil is UNKNOWN:
        return input.of((*lead, *(unknown() for _ in sizes)), mask)
    made: list[Entry] = []
    for size, k, s, p, d in columns:
        for what, given, least in (("kernel_size", k, 1), ("padding", p, 0), ("dilation", d, 1)):
            if isinstance(given, int) and given < least:
                raise ShapeError(f"{what}={given}, wanted at least {least}")
        if isinstance(p, int) and isinstance(k, int) and p * 2 > k:
            raise ShapeError(f"padding={p} is more than half of the kernel, {k}")
        made.append(window_size(size, k, s, p, d, ceil=bool(ceil)))
    return input.of((*lead, *made), mask)


def _not_empty(input: Tensor, axes: int, *, channels: bool = True) -> None:
    """Only the batch may be empty.

    Raises:
        ShapeError: another axis is.
    """
    if 0 in input.shape[-axes - 1 if channels else -axes :]:
        raise ShapeError(f"{name(input, 'input')} has shape {show(input.shape)}: only the batch may be empty")


def _adaptive(axes: int, input: Any, output_size: Any, mask: int, *, channels: bool = False) -> Tensor:
    if isinstance(output_size, (tuple, list)):
        output_size = counted(output_size)
    if output_size is None:
        wanted: list[Any] = [None] * axes
    elif (isinstance(output_size, list) and len(output_size) == axes) or is_size(output_size):
        wanted = output_size if isinstance(output_size, list) else [output_size] * axes
    elif isinstance(output_size, list):
        raise ShapeError(f"output_size={tuple(output_size)} has {len(output_size)} numbers, wanted {axes}")
    else:
        wanted = [unknown()] * axes
    strict = channels or axes == 1 or any(isinstance(size, int) and size != 1 for size in wanted)
    if not strict and need(input).rank not in (None, axes + 1, axes + 2):
        raise Undecided  # to one number it is a mean over the last axes
    lead, sizes = spatial(need(input), axes, name(input, "input"))
    if channels or wanted != [1] * axes:
        _not_empty(input, axes, channels=channels and input.rank == axes + 2)
    return input.of(
        (
            *lead,
            *(s if w is None else w if is_size(w) else unknown() for s, w in zip(sizes, wanted, strict=True)),
        ),
        mask,
    )


def _float(input: Any) -> int:
    if mask_of(need(input)) & ~COMPLEX == 0:
        raise Undecided  # an adaptive mean of complex numbers is taken in some releases
    return want(need(input), FLOATING, "input", "a floating dtype")


def _number(input: Any) -> int:
    return to_float(want(need(input), NOT_COMPLEX, "input", "real numbers"))


def _real(input: Any) -> int:
    return want(need(input), NOT_COMPLEX & ~BOOL, "input", "real numbers")


def _chosen(made: Tensor, indices: Any) -> Any:
    if indices is UNKNOWN:
        raise Undecided
    return (made, made.of(made.shape, INT64)) if indices else made


def _enter_max(axes: int) -> None:
    def max_pool(
        input: Any,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: Any = False,
        return_indices: Any = False,
    ) -> Any:
        return _chosen(
            _pool(axes, input, kernel_size, stride, padding, dilation, ceil_mode, _real(input)),
            return_indices,
        )

    def plain(input: Any, kernel_size: Any, *settings: Any, **named: Any) -> Any:
        if len(settings) > 4 or "return_indices" in named:
            raise Undecided
        return max_pool(input, kernel_size, *settings, **named)

    def with_indices(
        input: Any,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: Any = False,
        return_indices: Any = True,
    ) -> Any:
        return max_pool(input, kernel_size, stride, padding, dilation, ceil_mode, True)

    space = _SPACE[axes]
    sample = (
        f"f:b c {space}, 2 | f:c {space}, 3, 2, 1 | f:b c {space}, 2, ceil_mode=True | "
        f"f:b c {space}, 2, 1, 0, 2"
    )
    rule(f"torch.nn.functional.max_pool{axes}d", sample=sample + f" | f:b c {space}, 2, return_indices=True")(
        max_pool
    )
    rule(f"torch.max_pool{axes}d", sample=sample)(plain)
    rule(
        f"torch.nn.functional.max_pool{axes}d_with_indices", sample=f"f:b c {space}, 2 | f:c {space}, 3, 2, 1"
    )(with_indices)
    if axes == 1:
        rule("torch.max_pool1d_with_indices", sample=f"f:b c {space}, 2")(with_indices)
    _enter_max_layer(axes, max_pool)


def _enter_max_layer(axes: int, max_pool: Function) -> None:
    def max_pool_layer(
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: Any = False,
        ceil_mode: Any = False,
    ) -> Layer:
        return Layer(
            lambda input: max_pool(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)
        )

    space = _SPACE[axes]
    layer(
        f"torch.nn.MaxPool{axes}d",
        sample=f"2 -> f:b c {space} | 3, stride=2, padding=1 -> f:b c {space} | "
        f"2, ceil_mode=True -> f:c {space} | 2, return_indices=True -> f:b c {space}",
    )(max_pool_layer)


def _room(axes: int, input: Any, kernel_size: Any, output_size: Any) -> None:
    """Random windows start at different places, so each axis must hold that many starts."""
    _, sizes = spatial(need(input), axes, name(input, "input"))
    for size, kernel, out in zip(
        sizes,
        each_or_unknown(kernel_size, axes, "kernel_size"),
        each_or_unknown(output_size, axes, "output_size"),
        strict=True,
    ):
        if (
            all(isinstance(n, int) for n in (size, kernel, out))
            and out + kernel - (1 if axes == 2 else 0) > size
        ):
            raise ShapeError(f"{out} windows of {kernel} over an axis of {size} of {name(input, 'input')}")


def _share(size: Size, ratio: Any) -> Size:
    return int(size * ratio) if isinstance(size, int) and isinstance(ratio, float) else unknown()


def _not_smaller(kind: int, input: Any, kernel_size: Any, axes: int = 3) -> None:
    """In three dimensions the window must fit without the padding."""
    if kind != 3:
        return
    _, sizes = spatial(need(input), axes, name(input, "input"))
    for size, kernel in zip(sizes, each_or_unknown(kernel_size, axes, "kernel_size"), strict=True):
        if isinstance(size, int) and isinstance(kernel, int) and kernel > size:
            raise ShapeError(f"a window of {kernel} over an axis of {size} of {name(input, 'input')}")


def _enter_mean(axes: int) -> None:
    def avg_pool(
        input: Any,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: Any = False,
        count_include_pad: Any = True,
        divisor_override: Any = None,
    ) -> Tensor:
        _not_smaller(axes, input, kernel_size)
        mask = _real(input)
        return _pool(axes, input, kernel_size, stride, padding, 1, ceil_mode, mask)

    def avg_pool_layer(
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: Any = False,
        *settings: Any,
        **more: Any,
    ) -> Layer:
        return Layer(lambda input: avg_pool(input, kernel_size, stride, padding, ceil_mode))

    space = _SPACE[axes]
    sample = f"f:b c {space}, 2 | f:c {space}, 3, 2, 1 | f:b c {space}, 2, ceil_mode=True"
    rule(f"torch.nn.functional.avg_pool{axes}d", *(["torch.avg_pool1d"] if axes == 1 else []), sample=sample)(
        avg_pool
    )
    layer(f"torch.nn.AvgPool{axes}d", sample=f"2 -> f:b c {space} | 3, 2, 1 -> f:c {space}")(avg_pool_layer)


def _enter_norm(axes: int) -> None:
    def lp_pool(
        input: Any, norm_type: Any, kernel_size: Any, stride: Any = None, ceil_mode: Any = False
    ) -> Tensor:
        return _pool(axes, input, kernel_size, stride, 0, 1, ceil_mode, _number(input))

    def lp_pool_layer(norm_type: Any, kernel_size: Any, stride: Any = None, ceil_mode: Any = False) -> Layer:
        return Layer(lambda input: lp_pool(input, norm_type, kernel_size, stride, ceil_mode))

    space = _SPACE[axes]
    rule(f"torch.nn.functional.lp_pool{axes}d", sample=f"f:b c {space}, 2.0, 2 | f:b c {space}, 1.0, 3, 2")(
        lp_pool
    )
    layer(f"torch.nn.LPPool{axes}d", sample=f"2, 3, stride=2 -> f:b c {space}")(lp_pool_layer)


def _enter_adaptive(axes: int) -> None:
    def adaptive_avg(input: Any, output_size: Any) -> Tensor:
        return _adaptive(axes, input, output_size, _float(input))

    def adaptive_max(input: Any, output_size: Any, return_indices: Any = False) -> Any:
        return _chosen(_adaptive(axes, input, output_size, _float(input), channels=True), return_indices)

    def with_indices(input: Any, output_size: Any, return_indices: Any = True) -> Any:
        return adaptive_max(input, output_size, True)

    space = _SPACE[axes]
    some = "1" if axes == 1 else f"({', '.join(['1', 'None', '2'][:axes])})"
    sample = f"f:b c {space}, 1 | f:c {space}, size:k | f:b c {space}, {some}"
    rule(
        f"torch.nn.functional.adaptive_avg_pool{axes}d",
        *(["torch.adaptive_avg_pool1d"] if axes == 1 else []),
        sample=sample,
    )(adaptive_avg)
    rule(f"torch.nn.functional.adaptive_max_pool{axes}d", sample=sample + f" | f:b c {space}, 2, True")(
        adaptive_max
    )
    rule(
        f"torch.nn.functional.adaptive_max_pool{axes}d_with_indices",
        *(["torch.adaptive_max_pool1d"] if axes == 1 else []),
        sample=sample,
    )(with_indices)
    layer(
        f"torch.nn.AdaptiveAvgPool{axes}d",
        sample=f"1 -> f:b c {space} | {some} -> f:c {space} | size:k -> f:b c {space}",
    )(lambda output_size: Layer(lambda input: adaptive_avg(input, output_size)))
    layer(f"torch.nn.AdaptiveMaxPool{axes}d", sample=f"1 -> f:b c {space} | 2, True -> f:b c {space}")(
        lambda output_size, return_indices=False: Layer(
            lambda input: adaptive_max(input, output_size, return_indices)
        )
    )


def _asked(axes: int, output_size: Any, usual: list[Any], strides: list[Any]) -> list[Any]:
    """The sizes that an unpooling is asked for, which are less than a stride from the usual ones.

    Raises:
        ShapeError: one is further away, or there are not as many.
    """
    if not isinstance(output_size, (tuple, list)):
        return [unknown()] * axes
    if len(counted(output_size)) not in (axes, axes + 2):
        raise ShapeError(f"output_size={tuple(output_size)} has {len(output_size)} numbers, wanted {axes}")
    for given, size, stride in zip(output_size[-axes:], usual, strides, strict=True):
        if all(isinstance(n, int) for n in (given, size, stride)) and abs(given - size) >= stride:
            raise ShapeError(f"output_size={tuple(output_size)}: {given} is a stride or more from {size}")
    return list(output_size[-axes:])


def _enter_unpool(axes: int) -> None:
    def max_unpool(
        input: Any,
        indices: Any,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        output_size: Any = None,
    ) -> Tensor:
        want(need(indices), INT64, "indices", "int64")
        lead, sizes = spatial(need(input), axes, name(input, "input"))
        expect_shape(indices, "indices", input.shape)
        if output_size is not None:  # of longer lists the rest is left aside
            kernel_size, stride, padding = (
                v[:axes] if isinstance(v, (tuple, list)) else v for v in (kernel_size, stride, padding)
            )
        kernels, paddings = (
            each_or_unknown(kernel_size, axes, "kernel_size"),
            each_or_unknown(padding, axes, "padding"),
        )
        strides = kernels if stride is None else each_or_unknown(stride, axes, "stride")
        columns = zip(sizes, kernels, strides, paddings, strict=True)
        made = [(n - 1) * s - 2 * p + k for n, k, s, p in columns]
        if output_size is not None:
            made = _asked(axes, output_size, made, strides)
        return input.of((*lead, *made), mask_of(input))

    def unpool_layer(kernel_size: Any, stride: Any = None, padding: Any = 0) -> Layer:
        return Layer(
            lambda input, indices, output_size=None: max_unpool(
                input, indices, kernel_size, stride, padding, output_size
            )
        )

    space = _SPACE[axes]
    rule(f"torch.nn.functional.max_unpool{axes}d", sample=f"f:b c {space}, I:b c {space}, 2")(max_unpool)
    layer(f"torch.nn.MaxUnpool{axes}d", sample=f"2 -> f:b c {space}, I:b c {space}")(unpool_layer)


def _enter_fractional(axes: int) -> Function:
    def fractional(
        input: Any,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: Any = False,
        _random_samples: Any = None,
    ) -> Any:
        if output_size is None:
            lead, sizes = spatial(need(input), axes, name(input, "input"))
            if output_ratio is None:
                raise ShapeError("a fractional pool takes output_size or output_ratio")
            ratios = [output_ratio] * 3 if axes == 3 and isinstance(output_ratio, float) else output_ratio
            ratios = each_or_unknown(ratios, axes, "output_ratio")
            made = [_share(s, r) for s, r in zip(sizes, ratios, strict=True)]
            _room(axes, input, kernel_size, made)
            return _chosen(input.of((*lead, *made), _float(input)), return_indices)
        _room(axes, input, kernel_size, output_size)
        return _chosen(_adaptive(axes, input, output_size, _float(input)), return_indices)

    def with_indices(
        input: Any,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: Any = False,
        _random_samples: Any = None,
    ) -> Any:
        return fractional(input, kernel_size, output_size, output_ratio, True)

    space = _SPACE[axes]
    rule(f"torch.nn.functional.fractional_max_pool{axes}d_with_indices", sample=f"F:b c {space}, 2, 3")(
        with_indices
    )
    rule(
        f"torch.nn.functional.fractional_max_pool{axes}d",
        sample=f"F:b c {space}, 2, 3 | F:b c {space}, 2, 3, return_indices=True | "
        f"F:b c {space}, 2, output_ratio=({', '.join(['0.5'] * axes)})",
    )(fractional)
    layer(f"torch.nn.FractionalMaxPool{axes}d", sample=f"2, 3 -> F:b c {space}")(
        lambda kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None: (
            Layer(lambda input: fractional(input, kernel_size, output_size, output_ratio, return_indices))
        )
    )
    return fractional


for _axes in (1, 2, 3):
    _enter_max(_axes)
    _enter_mean(_axes)
    _enter_norm(_axes)
    _enter_adaptive(_axes)
    _enter_unpool(_axes)
_enter_fractional(2)
_enter_fractional(3)
