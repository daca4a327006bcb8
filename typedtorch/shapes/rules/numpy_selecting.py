"""numpy: what is chosen by an index or by its value, and what is counted."""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

from typing import Any

from typedtorch.shapes.dtypes import BIT, BOOL, COMPLEX, INT64, INTEGRAL
from typedtorch.shapes.rule import name, rule
from typedtorch.shapes.rules import reduction, sorting
from typedtorch.shapes.rules.forms import Function, broadcast_operands, is_size, literal
from typedtorch.shapes.rules.numpy_dtypes import (
    as_array,
    functions,
    mean_dtype,
    methods,
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
