"""numpy: what is taken out of arrays and put into them, sets of values, and indices by the grid."""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

from typing import Any

from typedtorch.shapes.dtypes import ANY, BOOL, FLOAT64, INT64
from typedtorch.shapes.rule import name, rule
from typedtorch.shapes.rules import diagonals, reduction, splitting
from typedtorch.shapes.rules.forms import (
    Function,
    broadcast_operands,
    counted,
    expect_shape,
    is_size,
    literal,
    pointwise,
)
from typedtorch.shapes.rules.numpy_dtypes import (
    as_array,
    as_item,
    functions,
    promote,
    result_dtype,
    to_numpy,
)
from typedtorch.shapes.rules.promotion import dtype_of
from typedtorch.shapes.size import Size, unknown
from typedtorch.shapes.tensor import (
    Scalar,
    ShapeError,
    Tensor,
    Undecided,
    axis_index,
    replaced,
    show,
)

# --- out of arrays and into them ---------------------------------------------------------------


def _edited(given: Tensor, axis: Any, who: str, change: Any) -> Tensor:
    """An array with another size along an axis; in one row where no axis is named."""
    if axis is None:
        return Tensor((unknown(),), given.dtype, library="numpy")
    place = axis_index(given.shape, literal(axis), who)
    size: Size = change(given.sizes()[place])
    return Tensor(replaced(given.shape, place, size), given.dtype, library="numpy")


@rule(*functions("delete"), sample="@f:A b, 0, 0 | @f:A b, [0, 1], axis=0 | @f:a B, -1, -1 | @f:a b, 0")
def delete(arr: Any, obj: Any, axis: Any = None) -> Tensor:
    given, who = as_array(arr), name(arr, "arr")

    def left(size: Size) -> Size:
        if isinstance(obj, int) and isinstance(size, int) and not -size <= obj < size:
            raise ShapeError(f"index {obj} is outside axis {axis} of {who}, {show(given.shape)}")
        return size - 1 if is_size(obj) else unknown()

    return _edited(given, axis, who, left)


@rule(
    *functions("insert"),
    sample="@f:a b, 0, 1.0, 0 | @f:a b, 0, 1.0, axis=-1 | @f:a b, 0, @f:b, 0 | @f:a, 0, 1",
)
def insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Tensor:
    given = as_array(arr)
    rank = as_item(values).rank
    one = is_size(obj) and rank is not None and given.rank is not None and rank < max(given.rank, 1)
    return _edited(given, axis, name(arr, "arr"), lambda size: size + 1 if one else unknown())


@rule(*functions("array_split"), sample="@f:a 3*b, 3, -1 | @f:7 a, 3 | @f:A b, (1, 3)")
def array_split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    return to_numpy(splitting.tensor_split(as_array(ary), indices_or_sections, axis))


@rule(*functions("partition"), sample="@f:a b, 0 | @f:a b, 0, dim")
def partition(a: Any, kth: Any, axis: Any = -1, *settings: Any, **more: Any) -> Tensor:
    if axis is None:
        raise Undecided
    return to_numpy(reduction.scan(as_array(a), axis, as_array(a).dtype))


@rule(*functions("select"), sample="[@B:a b, @B:a b], [@f:a b, @f:a b] | [@B:a b], [@f:b], 0.5")
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Tensor:
    if not all(isinstance(given, (list, tuple)) for given in (condlist, choicelist)):
        raise Undecided
    if len(condlist) != len(choicelist):
        raise ShapeError(f"{len(condlist)} conditions for {len(choicelist)} choices")
    operands = [(as_item(c), "a condition") for c in condlist] + [
        (as_item(c), "a choice") for c in choicelist
    ]
    return to_numpy(pointwise(*operands, (as_item(default), "default"), dtype=ANY))


# --- sets of values ----------------------------------------------------------------------------


@rule(*functions("setdiff1d"), sample="@I:a, @I:b")
def setdiff1d(ar1: Any, ar2: Any, assume_unique: Any = False) -> Tensor:
    return Tensor((unknown(),), as_array(ar1).dtype, library="numpy")


@rule(*functions("union1d intersect1d setxor1d"), sample="@I:a, @I:b")
def union1d(ar1: Any, ar2: Any, *settings: Any, **more: Any) -> Tensor:
    if settings or more:
        raise Undecided
    return Tensor((unknown(),), promote(as_array(ar1).dtype, as_array(ar2).dtype), library="numpy")


@rule(*functions("array_equal array_equiv"), sample="@f:a b, @f:b")
def array_equal(a1: Any, a2: Any, equal_nan: Any = False) -> Scalar:
    return Scalar("bool")


# --- indices -----------------------------------------------------------------------------------


@rule(*functions("lexsort"), sample="(@f:n, @I:n) | [@f:a b, @f:a b], 0")
def lexsort(keys: Any, axis: Any = -1) -> Tensor:
    if not isinstance(keys, (list, tuple)) or not keys:
        raise Undecided
    given = [as_array(key) for key in keys]
    for key in given:
        expect_shape(key, "a key", given[-1].shape)
    return Tensor(reduction.scan(given[-1], axis, INT64).shape, INT64, library="numpy")


@rule(*functions("indices"), sample="(size:a, size:b) | (3, 4), dtype=ndtype")
def indices(dimensions: Any, dtype: Any = None, sparse: Any = False) -> Tensor:
    """One row of the result for each axis: ``(2, a, b)`` of ``(a, b)``."""
    if sparse is not False or not all(is_size(size) for size in dimensions):
        raise Undecided
    return Tensor((len(dimensions), *dimensions), dtype_of(dtype, INT64), library="numpy")


@rule(*functions("ix_"), sample="@I:a, @I:b | [0, 1], [0, 1, 2]")
def ix_(*args: Any) -> Any:
    """Each array along an axis of its own, so that they broadcast to all pairs."""
    made = []
    for place, given in enumerate(map(as_array, args)):
        if given.rank != 1:
            raise Undecided
        size = unknown() if given.dtype & BOOL else given.sizes()[0]
        shape = tuple(size if i == place else 1 for i in range(len(args)))
        made.append(Tensor(shape, INT64 if given.dtype & BOOL else given.dtype, library="numpy"))
    return tuple(made)


@rule(*functions("unravel_index"), sample="@I:a b, (3, 4) | @I:a, (2, 3, 4)")
def unravel_index(indices: Any, shape: Any, order: Any = "C") -> Any:
    given = as_item(indices)
    if not isinstance(shape, (list, tuple)):
        raise Undecided
    return tuple(Tensor(given.shape, INT64, library="numpy") for _ in counted(shape))


@rule(*functions("ravel_multi_index"), sample="(@I:a, @I:a), (3, 4) | (@I:a b, @I:b), (3, 4)")
def ravel_multi_index(multi_index: Any, dims: Any, *settings: Any, **more: Any) -> Tensor:
    if not isinstance(multi_index, (list, tuple)) or not isinstance(dims, (list, tuple)):
        raise Undecided
    if len(counted(multi_index)) != len(counted(dims)):
        raise ShapeError(f"{len(multi_index)} indices for a shape of {len(dims)} axes")
    shape = broadcast_operands(*((as_item(index), "an index") for index in multi_index))
    return Tensor(shape, INT64, library="numpy")


def _triangle(rule_of_torch: Function) -> Function:
    def triangle(n: Any, k: Any = 0, m: Any = None) -> Any:
        _, count = rule_of_torch(n, n if m is None else m, k).shape
        return tuple(Tensor((count,), INT64, library="numpy") for _ in range(2))

    return triangle


rule(*functions("triu_indices"), sample="3 | size:n | 4, 1 | size:n, 1 | 4, 0, 3")(
    _triangle(diagonals.triu_indices)
)
rule(*functions("tril_indices"), sample="3 | size:n | 4, -1 | size:n, -1 | 4, 0, 3")(
    _triangle(diagonals.tril_indices)
)


@rule(*functions("diag_indices"), sample="size:n | size:n, 3")
def diag_indices(n: Any, ndim: Any = 2) -> Any:
    if not is_size(n):
        raise Undecided
    return tuple(Tensor((n,), INT64, library="numpy") for _ in range(literal(ndim)))


# --- windows and buffers -----------------------------------------------------------------------


@rule(*functions("hanning hamming blackman bartlett"), sample="size:n | 8")
def hanning(M: Any) -> Tensor:
    return Tensor((M if is_size(M) else unknown(),), FLOAT64, library="numpy")


@rule(*functions("frombuffer"), sample="@D:a b | @F:a b, 'float32' | @F:4, 'float32', 3")
def frombuffer(buffer: Any, dtype: Any = None, count: Any = -1, **settings: Any) -> Tensor:
    size = count if is_size(count) and count != -1 else unknown()
    return Tensor((size,), dtype_of(dtype, FLOAT64), library="numpy")


@rule(*functions("fromiter"), sample="[1, 2, 3], ndtype | [1, 2, 3], ndtype, 2")
def fromiter(iter: Any, dtype: Any, count: Any = -1, **settings: Any) -> Tensor:
    return frombuffer(iter, dtype, count)


# --- an operator between all pairs, and along an axis ------------------------------------------


def _outer(comparison: bool) -> Function:
    def outer(A: Any, B: Any, **settings: Any) -> Tensor:
        left, right = as_item(A), as_item(B)
        dtype = BOOL if comparison else result_dtype(left, right)
        return Tensor((*left.shape, *right.shape), dtype, library="numpy")

    return outer


_ARITHMETIC = "add subtract multiply maximum minimum"
_COMPARISONS = "equal not_equal less less_equal greater greater_equal logical_and logical_or"
for _words, _comparison in ((_ARITHMETIC, False), (_COMPARISONS, True)):
    for _word in _words.split():
        rule(f"numpy.{_word}.outer", sample="@f:a, @f:b | @f:a b, @f:c")(_outer(_comparison))


@rule(*(f"numpy.{word}.accumulate" for word in ("maximum", "minimum")), sample="@f:a b | @f:a b, dim")
def accumulate(array: Any, axis: Any = 0, *settings: Any, **more: Any) -> Tensor:
    return to_numpy(reduction.scan(as_array(array), axis, as_array(array).dtype))


@rule(*(f"numpy.{word}.reduce" for word in ("maximum", "minimum")), sample="@f:a b | @f:a b, dim")
def reduce(array: Any, axis: Any = 0, *settings: Any, keepdims: Any = False, **more: Any) -> Tensor:
    given = as_array(array)
    return to_numpy(reduction.reduce_axes(given, axis, keepdims, given.dtype, "array"))
