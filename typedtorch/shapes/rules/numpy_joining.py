"""numpy: arrays joined, turned, padded and broadcast."""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

from typing import Any

from typedtorch.shapes.rule import name, rule
from typedtorch.shapes.rules import joining
from typedtorch.shapes.rules.forms import Function, broadcast_operands, counted, is_size, literal
from typedtorch.shapes.rules.numpy_dtypes import (
    as_array,
    functions,
    result_dtype,
    to_numpy,
)
from typedtorch.shapes.rules.numpy_shapes import arrays_of
from typedtorch.shapes.rules.promotion import mask_of
from typedtorch.shapes.tensor import ShapeError, Tensor, Undecided, axis_index, show


@rule(*functions("column_stack"), sample="[@f:a, @f:a] | [@f:a b, @f:a c] | [@f:a b, @f:a]")
def column_stack(tup: Any) -> Tensor:
    given = arrays_of(tup)
    return Tensor(joining.column_stack(given).shape, result_dtype(*given), library="numpy")


@rule(*functions("dstack"), sample="[@f:a b, @f:a b] | [@f:a, @f:a] | [@f:a b c, @f:a b d]")
def dstack(tup: Any, **settings: Any) -> Tensor:
    given = arrays_of(tup)
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


@rule(
    "numpy.lib.stride_tricks.sliding_window_view",
    sample=(
        "@f:A, 2 | @f:A b, 2, 0 | @f:A B, (2, 3) | @f:A b, 1, -1 | @f:A B c, (2, 2), (0, 1) | "
        "@f:A b, 2, axis=0"
    ),
)
def sliding_window_view(x: Any, window_shape: Any, axis: Any = None, **settings: Any) -> Tensor:
    """As many places as a window has along its axis, and the windows' own axes behind all others."""
    array = as_array(x)
    windows = [window_shape] if is_size(window_shape) else counted(window_shape)
    sizes: list[Any] = list(array.sizes())
    places = list(range(len(sizes))) if axis is None else [axis] if is_size(axis) else counted(axis)
    if len(places) != len(windows):
        raise ShapeError(
            f"{len(windows)} windows for {len(places)} axes of {name(x, 'x')}, {show(array.shape)}"
        )
    for window, place in zip(windows, places, strict=True):
        if not is_size(window):
            raise Undecided
        at = axis_index(array.shape, literal(place), name(x, "x"))
        sizes[at] = sizes[at] - window + 1
    return Tensor((*sizes, *windows), mask_of(array), library="numpy")
