"""numpy arrays from sizes and numbers."""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

from functools import reduce
from typing import Any

from typedtorch.shapes.dtypes import ANY, BIT, BOOL, FLOAT64, UINT8
from typedtorch.shapes.rule import rule
from typedtorch.shapes.rules import creation
from typedtorch.shapes.rules.forms import Function, broadcast_operands, is_size
from typedtorch.shapes.rules.numpy_dtypes import (
    as_array,
    as_item,
    functions,
    numpy_default,
    promote,
    result_dtype,
    to_numpy,
    with_number,
)
from typedtorch.shapes.rules.promotion import dtype_of, scalar_dtype
from typedtorch.shapes.size import unknown
from typedtorch.shapes.tensor import (
    ANY_AXES,
    UNKNOWN,
    Dtype,
    ShapeError,
    Tensor,
    Undecided,
)


@rule(*functions("zeros ones empty"), sample="(size:a, size:b) | size:a | (size:a, 2), dtype=ndtype")
def zeros(shape: Any, dtype: Any = None, order: Any = "C", **settings: Any) -> Tensor:
    return to_numpy(creation.from_sizes([shape] if is_size(shape) else list(shape), dtype_of(dtype, FLOAT64)))


@rule(*functions("full"), sample="(size:a, size:b), 0.5 | size:a, 1")
def full(shape: Any, fill_value: Any, dtype: Any = None, order: Any = "C", **settings: Any) -> Tensor:
    kind = ANY if isinstance(fill_value, Tensor) or fill_value is UNKNOWN else with_number(BOOL, fill_value)
    return to_numpy(creation.from_sizes([shape] if is_size(shape) else list(shape), dtype_of(dtype, kind)))


def _scalar_type(dtype: int) -> Function:
    """The rule of ``np.float32(x)``: an item of that dtype, or an array of such."""

    def convert(value: Any) -> Tensor:
        given = as_item(value)
        return to_numpy(given.of(given.shape, dtype))

    return convert


for _name in ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8"):
    rule(*functions(_name), sample="@n:* | 3 | 0.5 | [1, 2]")(_scalar_type(BIT[_name]))


@rule(*functions("zeros_like ones_like empty_like copy"), sample="@n:*")
def zeros_like(a: Any, dtype: Any = None, **settings: Any) -> Tensor:
    array = as_array(a)
    return to_numpy(array.of(array.shape, dtype_of(dtype, array.dtype)))


@rule(*functions("full_like"), sample="@n:*, 1")
def full_like(a: Any, fill_value: Any, dtype: Any = None, **settings: Any) -> Tensor:
    return zeros_like(a, dtype)


@rule(*functions("arange"), sample="size:a | 2, 9 | 0, size:a, 2 | 0.0, 1.0, 0.25 | 9, 2 | -3 | 3, 0.5")
def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None, **settings: Any) -> Tensor:
    start, stop = (0, start) if stop is None else (start, stop)
    wrong_way = all(isinstance(n, (int, float)) for n in (start, stop, step)) and (stop - start) * step < 0
    made = creation.arange(stop, start, step) if wrong_way else creation.arange(start, stop, step)
    return Tensor(
        (0,) if wrong_way else made.shape, dtype_of(dtype, numpy_default(made.dtype)), library="numpy"
    )


@rule(
    *functions("linspace"),
    sample="0.0, 1.0, size:n | 0, 1, 5 | 0.0, 1.0 | @f:, 2.0, size:n | 0, @f:, 5 | @f:a b, @f:b, size:n | "
    "0, @i:, 3",
)
def linspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: Any = True,
    retstep: Any = False,
    dtype: Any = None,
    axis: Any = 0,
) -> Tensor:
    if retstep is not False or start is UNKNOWN or stop is UNKNOWN:
        raise Undecided  # with arrays for ends it has their axes too
    steps, made = num if is_size(num) else unknown(), FLOAT64
    ends = [(end, who) for end, who in ((start, "start"), (stop, "stop")) if isinstance(end, Tensor)]
    if ends:
        made = result_dtype(start, stop, 1.0)
        if axis != 0:
            raise Undecided
    return Tensor((steps, *broadcast_operands(*ends)), dtype_of(dtype, made), library="numpy")


@rule(
    *functions("memmap"),
    sample="'pyproject.toml', mode='r' | 'pyproject.toml', mode='r', dtype=ndtype, shape=(size:a, 2) | "
    "'pyproject.toml', mode='r', shape=size:n",
)
def memmap(
    filename: Any,
    dtype: Any = Dtype(UINT8),  # noqa: B008 - a frozen value
    mode: Any = "r+",
    offset: Any = 0,
    shape: Any = None,
    order: Any = "C",
) -> Tensor:
    """A file as an array, in one row unless its shape is given."""
    if shape is not None:
        return zeros(shape, dtype)
    return Tensor((unknown(),), dtype_of(dtype, ANY), library="numpy")


@rule(
    *functions("fromfile"), sample="'pyproject.toml', 'uint8' | 'pyproject.toml', dtype='uint8', count=size:n"
)
def fromfile(file: Any, dtype: Any = None, count: Any = -1, **settings: Any) -> Tensor:
    size = count if is_size(count) and count != -1 else unknown()
    return Tensor((size,), dtype_of(dtype, FLOAT64), library="numpy")


@rule(*functions("eye identity"), sample="size:n")
def eye(N: Any, M: Any = None, k: Any = 0, dtype: Any = None, **settings: Any) -> Tensor:
    return to_numpy(creation.from_sizes((N, N if M is None else M), dtype_of(dtype, FLOAT64)))


@rule(*functions("array asarray asanyarray"), sample="[1, 2, 3] | [[0.5, 1]] | @n:* | 3.0")
def array(object: Any, dtype: Any = None, **settings: Any) -> Tensor:
    if isinstance(object, Tensor):
        return zeros_like(object, dtype)
    if object is UNKNOWN:
        return Tensor((ANY_AXES,), dtype_of(dtype, ANY), library="numpy")
    try:
        shape, mask = creation.shape_of_data(_as_arrays(object))
    except ShapeError:
        if dtype is None or isinstance(dtype, Dtype):
            raise
        raise Undecided from None  # items of any shape make an array of objects
    made = _joint_dtype(object) if _holds_arrays(object) else numpy_default(mask)
    return Tensor(shape, dtype_of(dtype, made), library="numpy")


def _as_arrays(item: Any) -> Any:
    """Tensors of torch in lists keep their axes: numpy reads them as it reads arrays."""
    if isinstance(item, (list, tuple)):
        return [_as_arrays(part) for part in item]
    return to_numpy(item) if isinstance(item, Tensor) else item


def _holds_arrays(item: Any) -> bool:
    """Whether arrays are among what an array is made of: they bring dtypes of their own."""
    return isinstance(item, Tensor) or (isinstance(item, (list, tuple)) and any(map(_holds_arrays, item)))


def _joint_dtype(item: Any) -> int:
    if isinstance(item, (list, tuple)):
        return reduce(promote, map(_joint_dtype, item)) if item else FLOAT64
    if isinstance(item, Tensor):
        return item.dtype
    return ANY if item is UNKNOWN else numpy_default(scalar_dtype(item))
