"""Operators that fit in no other family."""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.dtypes import COMPLEX, FLOAT32, FLOATING, INT64, INTEGER, to_float
from typedtorch.shapes.equality import same
from typedtorch.shapes.rule import Layer, Record, layer, name, rule
from typedtorch.shapes.rules.axis_patterns import of_rank
from typedtorch.shapes.rules.forms import (
    broadcast_operands,
    counted,
    functional,
    is_size,
    literal,
    methods,
    need,
)
from typedtorch.shapes.rules.indexing import broadcastable_into
from typedtorch.shapes.rules.promotion import common_dtype, dtype_of, mask_of, result_type, want
from typedtorch.shapes.rules.properties import item, truth
from typedtorch.shapes.rules.reduction import summed
from typedtorch.shapes.rules.splitting import chunk, split
from typedtorch.shapes.rules.views import sizes_of
from typedtorch.shapes.size import Size, unknown
from typedtorch.shapes.tensor import (
    ANY_AXES,
    Dtype,
    Scalar,
    ShapeError,
    Tensor,
    Undecided,
    axis_index,
    entry_size,
    numel,
    pack_index,
    replaced,
    same_shape,
    shape_from,
    show,
)


@rule("torch.Tensor.sum_to_size", sample="f:a b, size:a, 1 | f:a b, (size:b,) | f:a b, (1, 1)")
def sum_to_size(self: Any, *size: Any) -> Tensor:

    wanted = shape_from(sizes_of(size))
    if broadcastable_into(wanted, need(self).shape) is False:
        raise ShapeError(
            f"{name(self, 'self')} of shape {show(self.shape)} cannot be summed to {show(wanted)}"
        )
    kept = wanted != () and pack_index(self.shape) is None and same_shape(wanted, self.shape) is True
    mask = mask_of(self)
    return self.of(
        wanted,
        mask if kept else summed(mask) if same_shape(wanted, self.shape) is False else mask | summed(mask),
    )


@rule(
    "torch.as_strided", "torch.Tensor.as_strided", sample="f:4 5, (2, 2), (1, 2) | f:9, (size:a, 1), (1, 1)"
)
def as_strided(input: Any, size: Any, stride: Any, storage_offset: Any = None) -> Tensor:
    both_listed = isinstance(size, (tuple, list)) and isinstance(stride, (tuple, list))
    if both_listed and len(counted(size)) != len(counted(stride)):
        raise ShapeError(f"size has {len(size)} entries and stride {len(stride)}")
    return need(input).of(shape_from(sizes_of((size,))))


@rule(*methods("unsafe_chunk"), "torch.unsafe_chunk", sample="f:a 3*b, 3, -1")
def unsafe_chunk(input: Any, chunks: Any, dim: Any = 0) -> Any:
    return chunk(input, chunks, dim)


@rule(*methods("unsafe_split"), "torch.unsafe_split", sample="f:a 2*b, size:b, 1")
def unsafe_split(tensor: Any, split_size: Any, dim: Any = 0) -> Any:
    return split(tensor, split_size, dim)


@rule("torch.unravel_index", sample="I:n, (3, 4) | I:, (2, 3, 4)")
def unravel_index(indices: Any, shape: Any) -> Any:
    want(need(indices), INTEGER, "indices", "integers")
    if is_size(shape):
        return (indices.of(indices.shape, INT64),)
    return tuple(indices.of(indices.shape, INT64) for _ in counted(shape))


@rule("torch.gradient", sample="F:A | F:A B, dim=0 | F:A B")
def gradient(input: Any, *, spacing: Any = 1, dim: Any = None, edge_order: Any = 1) -> Any:
    tensor = need(input)
    dims = list(range(len(tensor.sizes()))) if dim is None else [dim] if is_size(dim) else list(dim)
    for one in dims:
        place = axis_index(tensor.shape, literal(one), name(input, "input"))
        size = entry_size(tensor.shape[place]) if tensor.shape else 1
        if isinstance(size, int) and size < literal(edge_order) + 1:
            raise ShapeError(
                f"axis {one} of {name(input, 'input')} is {size}, a gradient needs at least {edge_order + 1}"
            )
    return tuple(tensor.of(tensor.shape, to_float(mask_of(tensor))) for _ in dims)


@rule("torch.cumulative_trapezoid", sample="F:a B | F:A b, dim=0")
def cumulative_trapezoid(y: Any, x: Any = None, *, dx: Any = None, dim: Any = -1) -> Tensor:
    tensor = need(y)
    if x is not None and (not isinstance(x, Tensor) or same_shape(x.shape, tensor.shape) is not True):
        raise Undecided
    place = axis_index(tensor.shape, literal(dim), name(y, "y"))
    if not tensor.shape:
        raise Undecided
    return tensor.of(
        replaced(tensor.shape, place, entry_size(tensor.shape[place]) - 1),
        to_float(mask_of(tensor) if x is None else result_type(tensor, x)),
    )


@rule(*functional("pdist"), "torch.pdist", sample="F:5 d | F:n d")
def pdist(input: Any, p: Any = 2.0) -> Tensor:
    """``(n, d) -> (n (n - 1) / 2,)``."""
    want(need(input), FLOATING, "input", "a floating dtype")
    if input.rank not in (None, 2):
        raise ShapeError(f"{name(input, 'input')} has shape {show(input.shape)}, wanted (points, features)")
    count = input.sizes()[0]
    return input.of(((count * (count - 1)) // 2,), mask_of(input))


@rule(*functional("conv_tbc"), "torch.conv_tbc", sample="F:T b i, F:3 i o, F:o | F:T b i, F:2 i o, F:o, 1")
def conv_tbc(input: Any, weight: Any, bias: Any, pad: Any = 0) -> Tensor:

    time, batch, width = of_rank(need(input), "input", "time", "batch", "in")
    kernel, inner, out = of_rank(need(weight), "weight", "kernel", "in", "out")
    (offset,) = of_rank(need(bias), "bias", "out")
    mask = common_dtype((input, "input"), (weight, "weight"), what="conv_tbc")
    if same(width, inner) is False:
        raise ShapeError(f"{name(input, 'input')} has {width} channels and the weight takes {inner}")
    if same(offset, out) is False:
        raise ShapeError(f"{name(bias, 'bias')} has {offset} elements and the weight {out} outputs")
    made: Size = time + 2 * (pad if is_size(pad) else unknown()) - kernel + 1
    if isinstance(made, int) and made < 1:
        raise ShapeError(f"a window of {kernel} over an axis of {time}")
    return input.of((made, batch, out), mask)


@rule("torch.range", sample="0, 4 | 1.0, 3.0, 0.5")
def range_(start: Any = 0, end: Any = None, step: Any = 1, *, dtype: Any = None, **settings: Any) -> Tensor:
    """Unlike ``arange`` the end is included."""
    if not all(isinstance(v, (int, float)) for v in (start, end, step)):
        return Tensor((unknown(),), dtype_of(dtype, FLOAT32))
    return Tensor((int((end - start) / step) + 1,), dtype_of(dtype, FLOAT32))


@rule(
    "torch.histogram",
    "torch.Tensor.histogram",
    sample="F:n, 5 | F:a b, bins=4 | F:n | F:n, F:3 | F:n, 5, weight=F:n",
)
def histogram(
    input: Any, bins: Any = 100, *, range: Any = None, weight: Any = None, density: Any = False
) -> Record:
    if isinstance(weight, Tensor) and same(numel(weight.shape), numel(need(input).shape)) is False:
        raise ShapeError(
            f"{name(weight, 'weight')} has shape {show(weight.shape)} and {name(input, 'input')} "
            f"{show(input.shape)}"
        )
    if (isinstance(bins, int) and bins < 1) or (isinstance(bins, Tensor) and bins.shape == (0,)):
        raise ShapeError("wanted at least one bin")
    if isinstance(bins, Tensor) and bins.rank != 1:
        raise Undecided
    operands = [
        (t, p) for t, p in ((input, "input"), (bins, "bins"), (weight, "weight")) if isinstance(t, Tensor)
    ]
    common_dtype(*operands, what="histogram")
    count: Size = (
        bins if is_size(bins) else entry_size(bins.shape[0]) - 1 if isinstance(bins, Tensor) else unknown()
    )
    mask = want(need(input), FLOATING, "input", "a floating dtype")
    return Record(hist=input.of((count,), mask), bin_edges=input.of((count + 1,), mask))


@rule("torch.histogramdd", sample="F:n 3, 5 | F:n 2, (3, 4) | F:n 2, [5, 6] | F:n 2, [F:3, F:4]")
def histogramdd(
    input: Any, bins: Any, *, range: Any = None, weight: Any = None, density: Any = False
) -> Record:
    """One axis of bins for each column, whose edges are one more."""
    mask = want(need(input), FLOATING, "input", "a floating dtype")
    if input.rank is None or input.rank < 2:
        raise Undecided
    columns = input.shape[-1]
    each = bins if isinstance(bins, (list, tuple)) else [bins] * literal(columns)
    if isinstance(columns, int) and len(each) != columns:
        raise ShapeError(f"bins has {len(each)} parts, {name(input, 'input')} has {columns} columns")
    edges = [_edges(part) for part in each]
    if any(isinstance(count, int) and count < 2 for count in edges):
        raise ShapeError("wanted at least one bin")
    counts: list[Size] = [count - 1 for count in edges]
    return Record(hist=input.of(tuple(counts), mask), bin_edges=tuple(input.of((n,), mask) for n in edges))


def _edges(bins: Any) -> Size:
    if isinstance(bins, Tensor) and bins.rank == 1:
        return entry_size(bins.shape[0])
    if not is_size(bins):
        raise Undecided
    return bins + 1


@rule("torch.binomial", sample="F:a, F:a")
def binomial(count: Any, prob: Any, generator: Any = None) -> Tensor:
    want(need(prob), FLOATING, "prob", "a floating dtype")
    common_dtype((need(count), "count"), (prob, "prob"))
    return need(count).of(
        broadcast_operands((count, "count"), (need(prob), "prob")),
        want(count, FLOATING, "count", "a floating dtype"),
    )


@rule("torch.segment_reduce", sample="skip")
def segment_reduce(data: Any, reduce: Any, **settings: Any) -> Tensor:
    return need(data).of((ANY_AXES,))


# --- what is not a tensor ----------------------------------------------------------------------


@rule("torch.promote_types", sample="dtype, dtype")
def promote_types(type1: Any, type2: Any) -> Dtype:
    if not isinstance(type1, Dtype) or not isinstance(type2, Dtype):
        raise Undecided
    made = dtypes.promote(type1.mask, type2.mask)
    if not made:
        raise ShapeError(f"{type1} and {type2} have no common dtype", "dtype")
    return Dtype(made)


@rule("torch.can_cast", sample="dtype, dtype")
def can_cast(from_: Any, to: Any) -> Scalar:
    return Scalar("bool")


@rule("torch.get_default_dtype", sample="")
def get_default_dtype() -> Dtype:
    return Dtype(FLOATING)


@rule("torch.is_nonzero", "torch.Tensor.is_nonzero", sample="n: | n:1")
def is_nonzero(input: Any) -> Scalar:

    return truth(input)


@rule(
    "torch.Tensor.is_signed",
    "torch.is_signed",
    "torch.Tensor.is_conj",
    "torch.is_conj",
    "torch.is_inference",
    "torch.Tensor.is_inference",
    sample="f:*",
)
def some_bool(input: Any) -> Scalar:
    need(input)
    return Scalar("bool")


@rule(
    "torch.Tensor.element_size",
    "torch.Tensor.storage_offset",
    "torch.Tensor.get_device",
    "torch.get_device",
    sample="f:*",
)
def some_int(input: Any) -> Size:
    need(input)
    return unknown()


@rule("torch.Tensor.tolist", sample="n:*")
def tolist(self: Any) -> Any:
    """A number, or nested lists of numbers where the sizes are known and few."""
    tensor = need(self)
    if tensor.shape == ():
        return item(self)
    raise Undecided


# --- layers ------------------------------------------------------------------------------------


@layer("torch.nn.CrossMapLRN2d", sample="2 -> F:b c h w")
def cross_map_lrn(size: Any, alpha: Any = 0.0001, beta: Any = 0.75, k: Any = 1) -> Layer:
    def forward(input: Any) -> Tensor:
        if need(input).rank not in (None, 4):
            raise ShapeError(
                f"{name(input, 'input')} has shape {show(input.shape)}, wanted (batch, channels, "
                "height, width)"
            )
        return input.of(input.shape, want(input, FLOATING | COMPLEX, "input", "a floating dtype"))

    return Layer(forward)


@layer(
    "torch.nn.AdaptiveLogSoftmaxWithLoss",
    sample="size:d, 9, [3] -> F:b d, I:b | size:d, 12, [2, 5] -> F:d, I:",
)
def adaptive_log_softmax(
    in_features: Any, n_classes: Any, cutoffs: Any, *settings: Any, **more: Any
) -> Layer:
    """The log-probability of each target, and the mean loss."""

    def rows(input: Any) -> Tensor:
        if need(input).rank is None:
            raise Undecided
        last = input.sizes()[-1] if input.shape else None
        if last is not None and is_size(in_features) and same(last, in_features) is False:
            raise ShapeError(
                f"in_features is {in_features} and the last axis of {name(input, 'input')} is {last}"
            )
        return input

    def log_prob(input: Any) -> Tensor:
        if len(rows(input).shape) != 2 or not is_size(n_classes):
            raise Undecided
        return input.of((input.shape[0], n_classes))

    def predict(input: Any) -> Tensor:
        return rows(input).of(input.shape[:-1], INT64)

    def forward(input: Any, target: Any) -> Record:
        who = name(input, "input")
        want(need(target), INT64, "target", "int64 class indices")
        if need(input).rank is None or target.rank is None:
            raise Undecided
        if len(input.shape) not in (1, 2) or len(target.shape) != len(input.shape) - 1:
            raise ShapeError(
                f"{who} has shape {show(input.shape)} and {name(target, 'target')} "
                f"{show(target.shape)}, wanted (b, in) and (b,)"
            )
        rows(input)
        if target.shape and same(entry_size(target.shape[0]), entry_size(input.shape[0])) is False:
            raise ShapeError(
                f"{who} has {input.shape[0]} rows and {name(target, 'target')} {target.shape[0]}"
            )
        mask = want(input, FLOATING, "input", "a floating dtype")
        return Record(output=input.of(target.shape, mask), loss=input.of((), mask))

    return Layer(forward, {"log_prob": log_prob, "predict": predict})
