"""numpy: choosing, counting, joining and turning, beyond the functions used most."""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

from typing import Any

from typedtorch.shapes.dtypes import BIT, BOOL, COMPLEX, INT64, INTEGRAL
from typedtorch.shapes.rule import name, rule
from typedtorch.shapes.rules import joining, reduction, sorting
from typedtorch.shapes.rules.forms import Function, broadcast_operands, is_size, literal
from typedtorch.shapes.rules.numpy_dtypes import (
    as_array,
    functions,
    mean_dtype,
    methods,
    result_dtype,
    to_numpy,
)
from typedtorch.shapes.rules.promotion import want
from typedtorch.shapes.size import Size, unknown
from typedtorch.shapes.tensor import ShapeError, Tensor, Undecided, axis_index, replaced, show

# --- choosing ----------------------------------------------------------------------------------


def _chosen(index: Tensor, parameter: str) -> Tensor:
    want(index, INTEGRAL | BOOL, parameter, "integers")
    return index


@rule(*functions("take_along_axis"), sample="@f:a b, @I:a c, 1 | @f:a b, @I:c b, 0")
def take_along_axis(arr: Any, indices: Any, axis: Any = -1) -> Tensor:
    """The other axes must agree; an axis of size 1 is spread."""
    given, index = as_array(arr), _chosen(as_array(indices), "indices")
    if given.rank is None or index.rank is None or axis is None:
        raise Undecided
    if given.rank != index.rank:
        raise ShapeError(
            f"{name(indices, 'indices')} has shape {show(index.shape)} and {name(arr, 'arr')} "
            f"has shape {show(given.shape)}: they must have the same number of axes"
        )
    place = axis_index(given.shape, axis, name(arr, "arr"))
    spread = tuple(1 if i == place else e for i, e in enumerate(given.shape))
    shape = broadcast_operands(
        (Tensor(spread, given.dtype, name(arr, "arr")), "arr"), (index, name(indices, "indices"))
    )
    return Tensor(shape, given.dtype, library="numpy")


@rule(*functions("take"), *methods("take"), sample="@f:a b, @I:c, 1 | @f:a b, @I:c d, axis=0 | @f:a b, @I:c")
def take(a: Any, indices: Any, axis: Any = None, *settings: Any, **more: Any) -> Tensor:
    given, index = as_array(a), indices if is_size(indices) else as_array(indices)
    chosen = () if is_size(index) else _chosen(index, "indices").shape
    if axis is None:
        return Tensor(chosen, given.dtype, library="numpy")
    if given.rank is None:
        raise Undecided
    place = axis_index(given.shape, axis, name(a, "a"))
    return Tensor((*given.shape[:place], *chosen, *given.shape[place + 1 :]), given.dtype, library="numpy")


@rule(*functions("argpartition"), *methods("argpartition"), sample="@f:a b, 0 | @f:a b, 0, dim")
def argpartition(a: Any, kth: Any, axis: Any = -1, *settings: Any, **more: Any) -> Tensor:
    if axis is None:
        raise Undecided
    return Tensor(reduction.scan(as_array(a), axis, INT64).shape, INT64, library="numpy")


@rule(*functions("nonzero"), *methods("nonzero"), sample="@f:a b")
def nonzero(a: Any) -> Any:
    return to_numpy(sorting.nonzero(as_array(a), as_tuple=True))


@rule(*functions("argwhere"), sample="@f:a b")
def argwhere(a: Any) -> Tensor:
    return to_numpy(sorting.argwhere(as_array(a)))


@rule(*functions("flatnonzero"), sample="@f:a b")
def flatnonzero(a: Any) -> Tensor:
    as_array(a)
    return Tensor((unknown(),), INT64, library="numpy")


@rule(*functions("isin"), sample="@I:a b, @I:c")
def isin(element: Any, test_elements: Any, **settings: Any) -> Tensor:
    return Tensor(as_array(element).shape, BOOL, library="numpy")


@rule(*functions("searchsorted"), sample="@D:n, @D:a b")
def searchsorted(a: Any, v: Any, side: Any = "left", sorter: Any = None) -> Tensor:
    ordered, values = as_array(a), as_array(v)
    if ordered.rank not in (None, 1):
        raise ShapeError(f"{name(a, 'a')} has shape {show(ordered.shape)}, wanted one axis")
    return Tensor(values.shape, INT64, library="numpy")


@rule(*functions("digitize"), sample="@D:a b, @D:n")
def digitize(x: Any, bins: Any, right: Any = False) -> Tensor:
    return searchsorted(bins, x)


# --- counting ----------------------------------------------------------------------------------


@rule(*functions("count_nonzero"), sample="@f:a b, dim | @f:a b, axis=dim, keepdims=True")
def count_nonzero(a: Any, axis: Any = None, *, keepdims: Any = False) -> Tensor:
    if axis is None:
        raise Undecided  # a number of Python
    return to_numpy(reduction.reduce_axes(as_array(a), axis, keepdims, INT64, "a"))


@rule(*functions("ptp"), sample="@f:* | @f:*, dim | @f:*, axis=dim, keepdims=True")
def ptp(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False) -> Tensor:
    given = as_array(a)
    return to_numpy(reduction.reduce_axes(given, axis, keepdims, given.dtype, "a"))


def _at(scale: float) -> Function:
    def quantile(
        a: Any, q: Any, axis: Any = None, out: Any = None, *settings: Any, keepdims: Any = False, **more: Any
    ) -> Tensor:
        """Several quantiles come first: ``(q, ...)``."""
        given = as_array(a)
        levels = as_array(q).shape if isinstance(q, (Tensor, list, tuple)) else ()
        if not isinstance(q, (Tensor, list, tuple, int, float)) or settings or given.dtype & COMPLEX:
            raise Undecided
        if isinstance(q, (int, float)) and not 0 <= q <= scale:
            raise ShapeError(f"q={q} lies outside 0 to {scale:g}")
        kept: Tensor = reduction.reduce_axes(given, axis, keepdims, mean_dtype(given.dtype), "a")
        return Tensor((*levels, *kept.shape), kept.dtype, library="numpy")

    return quantile


rule(
    *functions("quantile nanquantile"), sample="@D:*, 0.5, dim | @D:*, [0.25, 0.5], dim | @D:*, 0.5, axis=dim"
)(_at(1))
rule(*functions("percentile nanpercentile"), sample="@D:*, 50, dim | @D:*, [5, 95], dim | @D:*, 5, axis=dim")(
    _at(100)
)


@rule(*functions("bincount"), sample="@I:n")
def bincount(x: Any, weights: Any = None, minlength: Any = 0) -> Tensor:
    given = as_array(x)
    if given.rank not in (None, 1):
        raise ShapeError(f"{name(x, 'x')} has shape {show(given.shape)}, wanted one axis")
    return Tensor((unknown(),), INT64 if weights is None else BIT["float64"], library="numpy")


@rule(*functions("diff"), sample="@D:a B | @D:a B, 1, -1 | @D:A b, axis=0 | @D:a B, 2")
def diff(a: Any, n: Any = 1, axis: Any = -1, *settings: Any, **more: Any) -> Tensor:
    given = as_array(a)
    if settings or more or given.rank is None or given.dtype & BOOL:
        raise Undecided
    if given.rank == 0:
        raise ShapeError(f"{name(a, 'a')} is a scalar, wanted at least one axis")
    place = axis_index(given.shape, axis, name(a, "a"))
    size = given.sizes()[place]
    left: Size = size - literal(n)
    if isinstance(left, int):
        left = max(left, 0)
    return Tensor(replaced(given.shape, place, left), given.dtype, library="numpy")


# --- joining and turning -----------------------------------------------------------------------


@rule(*functions("column_stack"), sample="[@f:a, @f:a] | [@f:a b, @f:a c] | [@f:a b, @f:a]")
def column_stack(tup: Any) -> Tensor:
    given = joining.tensors_of(tup)
    return Tensor(joining.column_stack(given).shape, result_dtype(*given), library="numpy")


@rule(*functions("dstack"), sample="[@f:a b, @f:a b] | [@f:a, @f:a] | [@f:a b c, @f:a b d]")
def dstack(tup: Any, **settings: Any) -> Tensor:
    given = joining.tensors_of(tup)
    return Tensor(joining.dstack(given).shape, result_dtype(*given), library="numpy")


@rule(*functions("append"), sample="@f:a b, @f:c b, 0 | @f:a b, @f:a c, axis=1")
def append(arr: Any, values: Any, axis: Any = None) -> Tensor:
    if axis is None:
        raise Undecided
    given = [as_array(arr), as_array(values)]
    return Tensor(joining.cat(given, axis).shape, result_dtype(*given), library="numpy")


def _at_least(rank: int) -> Function:
    def at_least(*arys: Any) -> Tensor:
        if len(arys) != 1:
            raise Undecided
        given = as_array(arys[0])
        if given.rank is None:
            raise Undecided
        missing = max(rank - given.rank, 0)
        if missing and rank == 3:
            raise Undecided  # the new axes stand on both sides
        return Tensor((*(1,) * missing, *given.shape), given.dtype, library="numpy")

    return at_least


for _rank in (1, 2, 3):
    rule(*functions(f"atleast_{_rank}d"), sample="@f:a b | @f:a" if _rank < 3 else "@f:a b c")(
        _at_least(_rank)
    )


@rule(*functions("flipud"), sample="@f:a b | @f:a")
def flipud(m: Any) -> Tensor:
    return to_numpy(as_array(m))


@rule(*functions("fliplr"), sample="@f:a b | @f:a b c")
def fliplr(m: Any) -> Tensor:
    given = as_array(m)
    if given.rank is not None and given.rank < 2:
        raise ShapeError(f"{name(m, 'm')} has shape {show(given.shape)}, wanted at least two axes")
    return to_numpy(given)


@rule(*functions("ascontiguousarray"), sample="@n:a b")
def ascontiguousarray(a: Any, dtype: Any = None) -> Tensor:
    given = as_array(a)
    if dtype is not None or not given.shape:
        raise Undecided
    return to_numpy(given)


@rule(*functions("pad"), sample="@f:a b, 2 | @f:a b, (1, 2) | @f:a b, ((0, 0), (1, 2)) | @f:a, ((1, 0),)")
def pad(array: Any, pad_width: Any, *settings: Any, **more: Any) -> Tensor:
    """One number for all sides, a pair for each axis, or a pair for all of them."""
    given = as_array(array)
    if given.rank is None:
        raise Undecided
    widths = pad_width
    if is_size(widths):
        widths = (widths, widths)
    if isinstance(widths, (list, tuple)) and len(widths) == 2 and all(is_size(w) for w in widths):
        widths = (widths,) * given.rank
    if not isinstance(widths, (list, tuple)) or not all(_is_pair(w) for w in widths):
        raise Undecided
    if len(widths) == 1:
        widths = tuple(widths) * given.rank
    if len(widths) != given.rank:
        raise ShapeError(
            f"pad_width has {len(widths)} pairs, {name(array, 'array')} has shape {show(given.shape)}"
        )
    sizes = (e + before + after for e, (before, after) in zip(given.sizes(), widths, strict=True))
    return Tensor(tuple(sizes), given.dtype, library="numpy")


def _is_pair(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and len(value) == 2 and all(is_size(v) for v in value)


@rule(*functions("broadcast_arrays"), sample="@f:#*, @f:#*")
def broadcast_arrays(*args: Any, subok: Any = False) -> Any:
    given = [as_array(a) for a in args]
    shape = broadcast_operands(*((t, "an operand") for t in given))
    return tuple(Tensor(shape, t.dtype, library="numpy") for t in given)
