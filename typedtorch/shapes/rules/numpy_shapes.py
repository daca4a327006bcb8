"""numpy: shapes, products and the rest."""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

from typing import Any

from typedtorch.shapes.dtypes import ANY, INT64
from typedtorch.shapes.rule import attribute, name, rule
from typedtorch.shapes.rules import (
    indexing,
    joining,
    linear,
    permuting,
    reduction,
    repeating,
    splitting,
    views,
)
from typedtorch.shapes.rules.einsum import einsum
from typedtorch.shapes.rules.forms import broadcast_operands, is_size, literal, need
from typedtorch.shapes.rules.numpy_arrays import elementwise
from typedtorch.shapes.rules.numpy_creation import zeros_like
from typedtorch.shapes.rules.numpy_dtypes import (
    as_array,
    as_item,
    functions,
    methods,
    result_dtype,
    to_numpy,
)
from typedtorch.shapes.rules.promotion import dtype_of, to_real
from typedtorch.shapes.rules.properties import as_float, as_int, numel_
from typedtorch.shapes.size import Poly, Size, unknown
from typedtorch.shapes.tensor import (
    Scalar,
    ShapeError,
    Tensor,
    Undecided,
    axis_index,
)

# --- shapes ------------------------------------------------------------------------------------


@rule(*functions("reshape"), sample="@f:a b, (size:a*b,) | @f:a b, (-1, size:b) | @f:a b, -1")
def reshape(a: Any, shape: Any, order: Any = "C") -> Tensor:
    return to_numpy(views.reshaped(as_array(a), views.sizes_of((shape,)), name(a, "a")))


@rule(*methods("reshape"), sample="@f:a b, size:a*b | @f:a b, (-1, size:b) | @f:a b, size:b, -1")
def reshape_method(self: Any, *shape: Any, order: Any = "C") -> Tensor:
    return to_numpy(views.reshaped(need(self), views.sizes_of(shape), name(self, "self")))


@rule(*methods("flatten ravel"), *functions("ravel"), sample="@f:*")
def flatten(a: Any, order: Any = "C") -> Tensor:
    return to_numpy(views.flatten(as_array(a)))


@rule(*functions("transpose"), sample="@f:a b c | @f:a b c, (2, 0, 1)")
def transpose(a: Any, axes: Any = None) -> Tensor:
    return to_numpy(permuting.T(as_array(a)) if axes is None else permuting.permute(a, axes))


@rule(*methods("transpose"), sample="@f:a b c | @f:a b c, 2, 0, 1 | @f:a b c, (0, 2, 1)")
def transpose_method(self: Any, *axes: Any) -> Tensor:
    return transpose(self, views.sizes_of(axes) if axes else None)


@attribute("numpy.ndarray.size", sample="@f:*")
def size(self: Any) -> Size:
    """How many elements an array has; for a tensor of torch this is a method."""
    return numel_(self)


@rule(*functions("size"), sample="@f:* | @f:a b, 1")
def size_of(a: Any, axis: Any = None) -> Size:
    given = as_item(a)
    return (
        numel_(given) if axis is None else given.sizes()[axis_index(given.shape, literal(axis), name(a, "a"))]
    )


@rule(*functions("shape"), sample="@f:*")
def shape(a: Any) -> tuple[Size, ...]:
    return as_item(a).sizes()


@rule(*functions("ndim"), sample="@f:*")
def ndim(a: Any) -> int:
    return len(as_item(a).sizes())


@attribute("numpy.ndarray.T", sample="@f:*")
def T(self: Any) -> Tensor:
    return transpose(self)


@rule(*functions("swapaxes"), *methods("swapaxes"), sample="@f:a b c, 0, -1")
def swapaxes(a: Any, axis1: Any, axis2: Any) -> Tensor:
    if as_array(a).rank == 0:
        raise Undecided
    return to_numpy(permuting.transpose(as_array(a), axis1, axis2))


@rule(*functions("moveaxis"), sample="@f:a b c, 0, -1")
def moveaxis(a: Any, source: Any, destination: Any) -> Tensor:
    return to_numpy(permuting.movedim(as_array(a), source, destination))


@rule(*functions("expand_dims"), sample="@f:a b, place")
def expand_dims(a: Any, axis: Any) -> Tensor:
    made = as_array(a)
    if isinstance(axis, tuple):
        if made.rank is None or not all(isinstance(place, int) for place in axis):
            raise Undecided
        places = sorted(place % (made.rank + len(axis)) for place in axis)
    else:
        places = [axis]
    for place in places:
        made = views.unsqueeze(made, place)
    return Tensor(made.shape, made.dtype, deliberate=True, library="numpy")


@rule(*functions("squeeze"), *methods("squeeze"), sample="@f:a 1 b | @f:a 1 b, 1")
def squeeze(a: Any, axis: Any = None) -> Tensor:
    given = as_array(a)
    if axis is None:
        return to_numpy(views.squeeze(given))
    made: Tensor = views.squeeze(given, axis)
    if made.rank is not None and given.rank is not None and len(made.shape) == len(given.shape):
        raise ShapeError(f"axis {axis} of {name(a, 'a')} is not 1")
    return to_numpy(made)


@rule(*functions("broadcast_to"), sample="@f:1 a, (size:b, size:a)")
def broadcast_to(array: Any, shape: Any) -> Tensor:
    return to_numpy(views.broadcast_to(as_array(array), shape))


_ROWS = 64  # of one array given for a list of arrays
_WRITTEN = (list, tuple, int, float, Poly, Scalar)  # what numpy makes an array of


def arrays_of(values: Any) -> list[Tensor]:
    """A list of arrays, some of which may be numbers or lists of them, ``[[0], x]``; an array's rows.

    Raises:
        ShapeError: it is empty.
        Undecided: it is not a list of arrays.
    """
    if isinstance(values, Tensor):
        rows, *row = values.sizes()
        count = literal(rows)
        if count > _ROWS:
            raise Undecided
        values = [Tensor(tuple(row), values.dtype, library=values.library)] * count
    if isinstance(values, (list, tuple)):
        values = [as_item(v) if isinstance(v, _WRITTEN) else v for v in values]
    return [as_array(a) for a in joining.tensors_of(values)]


@rule(
    *functions("concatenate"),
    sample="[@f:a b, @f:c b] | [@f:a b, @f:a c], 1 | [@f:a b, @f:a c], axis=-1 | [[0, 1], @f:a] | "
    "[0.5, @f:a]",
)
def concatenate(arrays: Any, axis: Any = 0, **settings: Any) -> Tensor:
    given = arrays_of(arrays)
    if axis is None:
        raise Undecided
    if any(t.shape == (0,) for t in given):
        raise Undecided
    _check_axes(arrays, given)
    return Tensor(joining.cat(given, axis).shape, result_dtype(*given), library="numpy")


def _check_axes(arrays: Any, given: list[Tensor]) -> None:
    """A number among arrays that are concatenated."""
    numbers = [i for i, array in enumerate(given) if array.shape == ()]
    if numbers and len(numbers) < len(given):
        written = arrays[numbers[0]]
        what = str(written) if isinstance(written, (int, float)) else given[numbers[0]].label
        text = f"{what or f'item {numbers[0]}'} has no axes, so it cannot be concatenated"
        raise ShapeError(text, hint=f"[{what}] has one" if what else "put it in brackets")


@rule(*functions("stack"), sample="[@f:a b, @f:a b] | [@f:a b, @f:a b], -1 | [0.5, @f:] | [1, 0.5]")
def stack(arrays: Any, axis: Any = 0, **settings: Any) -> Tensor:
    given = arrays_of(arrays)
    return Tensor(joining.stack(given, axis).shape, result_dtype(*given), library="numpy")


@rule(*functions("hstack"), sample="[@f:a b, @f:a c] | [@f:a, @f:b] | [0.5, @f:a]")
def hstack(tup: Any, **settings: Any) -> Tensor:
    given = arrays_of(tup)
    return Tensor(joining.hstack(given).shape, result_dtype(*given), library="numpy")


@rule(*functions("vstack"), sample="[@f:a b, @f:c b] | [@f:a, @f:a]")
def vstack(tup: Any, **settings: Any) -> Tensor:
    given = arrays_of(tup)
    return Tensor(joining.vstack(given).shape, result_dtype(*given), library="numpy")


@rule(*functions("split"), sample="@f:a 2*b, 2, 1 | @f:9 b, (2, 5)")
def split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    given = as_array(ary)
    place, size = splitting.cut_axis(given, axis, name(ary, "ary"))
    if isinstance(indices_or_sections, int) and isinstance(size, int) and size % indices_or_sections:
        raise ShapeError(
            f"axis {axis} of {name(ary, 'ary')} is {size}, which {indices_or_sections} does not divide"
        )
    return to_numpy(splitting.pieces(given, place, splitting.section_sizes(size, indices_or_sections)))


@rule(*functions("repeat"), *methods("repeat"), sample="@f:a b, 2 | @f:a b, 3, dim")
def repeat(a: Any, repeats: Any, axis: Any = None) -> Tensor:
    return to_numpy(repeating.repeat_interleave(as_array(a), repeats, axis))


@rule(*functions("tile"), sample="@f:a b, (2, 3) | @f:a, 2")
def tile(A: Any, reps: Any) -> Tensor:
    given = as_array(A)
    return to_numpy(repeating.tile_method(given, *([reps] if is_size(reps) else reps)))


@rule(*functions("meshgrid"), sample="@f:a, @f:b | @f:a, @f:b, indexing='ij'")
def meshgrid(*xi: Any, indexing: Any = "xy", **settings: Any) -> Any:
    axes = joining.meshgrid(*(Tensor(views.flatten(as_array(x)).shape) for x in xi), indexing=indexing)
    return tuple(Tensor(t.shape, as_array(x).dtype, library="numpy") for t, x in zip(axes, xi, strict=True))


# --- products ----------------------------------------------------------------------------------


@rule(*functions("matmul"), *methods("__matmul__"), sample="@f:... m k, @f:... k n | @f:m k, @f:k")
def matmul(x1: Any, x2: Any) -> Tensor:
    left, right = as_array(x1), as_array(x2)
    return Tensor(
        linear.matmul_shape(left, right, name(x1, "x1"), name(x2, "x2")),
        result_dtype(left, right),
        library="numpy",
    )


@rule(*functions("dot"), *methods("dot"), sample="@f:m k, @f:k n | @f:k, @f:k")
def dot(a: Any, b: Any) -> Tensor:
    left, right = as_array(a), as_array(b)
    if left.rank not in (1, 2) or right.rank not in (1, 2):
        raise Undecided
    return matmul(left, right)


@rule(*functions("outer"), sample="@f:a, @f:b")
def outer(a: Any, b: Any) -> Tensor:
    left, right = views.flatten(as_array(a)), views.flatten(as_array(b))
    return Tensor((*left.shape, *right.shape), result_dtype(as_array(a), as_array(b)), library="numpy")


@rule(*functions("einsum"), sample="'bsd,dk->bsk', @f:b s d, @f:d k | 'ij->ji', @f:i j")
def numpy_einsum(subscripts: Any, *operands: Any, **settings: Any) -> Tensor:
    given = [as_array(o) for o in operands]
    mask = result_dtype(*given)
    return Tensor(
        einsum(subscripts, *(Tensor(t.shape, mask, t.label) for t in given)).shape, mask, library="numpy"
    )


# --- the rest ----------------------------------------------------------------------------------


@rule(*methods("astype"), sample="@n:*, ndtype")
def astype(self: Any, dtype: Any, *settings: Any, **more: Any) -> Tensor:
    array = need(self)
    return array.of(array.shape, dtype_of(dtype, ANY))


@rule(*methods("copy view"), sample="@n:*")
def copied(self: Any, *settings: Any) -> Tensor:
    if settings:
        raise Undecided
    return zeros_like(self)


rule(
    *methods("__getitem__"),
    sample=(
        "@f:a b c, 0 | @f:a b, (slice(None), None) | @f:a b, (..., 0) | @f:a b, @I:n | @f:a b, @B:a b | "
        "@f:a b, @i:n m"
    ),
)(indexing.getitem)


@rule(
    *methods("__setitem__"),
    sample=(
        "@f:a b c, 0, @f:b c | @f:a b c, (..., 0), @f:b | @f:a b c, slice(1, None), 0.0 | "
        "@f:a b c, @B:a b, 0.0 | @f:a b c, (slice(None), 0), @f:#a #c | @f:a b c, @I:n, @f:n b c | "
        "@f:a b c, @i:n, 0.0"
    ),
)
def setitem(self: Any, index: Any, value: Any) -> None:
    """Any dtype is cast; what is assigned must broadcast to what is indexed."""
    array, who = need(self), name(self, "self")
    shape, _ = indexing.indexed(array, index, who)
    if isinstance(value, Tensor):
        indexing.check_room(array, shape, value, who)


@rule(*functions("argsort"), *methods("argsort"), sample="@f:a b | @f:a b, dim")
def argsort(a: Any, axis: Any = -1, **settings: Any) -> Tensor:
    if axis is None:
        raise Undecided
    return Tensor(reduction.scan(as_array(a), axis, INT64).shape, INT64, library="numpy")


@rule(*functions("sort"), sample="@f:a b | @f:a b, dim")
def sort(a: Any, axis: Any = -1, **settings: Any) -> Tensor:
    if axis is None:
        raise Undecided
    return to_numpy(reduction.scan(as_array(a), axis, as_array(a).dtype))


@rule(*functions("unique"), sample="@f:a b")
def unique(ar: Any, *settings: Any, **more: Any) -> Tensor:
    if settings or more:
        raise Undecided
    return Tensor((unknown(),), as_array(ar).dtype, library="numpy")


@rule(*functions("allclose"), sample="@f:a b, @f:a b")
def allclose(a: Any, b: Any, *settings: Any, **more: Any) -> Scalar:
    broadcast_operands((as_array(a), "a"), (as_array(b), "b"))
    return Scalar("bool")


attribute("numpy.ndarray.real", sample="@n:*")(elementwise(to_real))


# what float(x) and int(x) take: one element
rule("numpy.ndarray.__float__", sample="@f:")(as_float)
rule("numpy.ndarray.__int__", sample="@I:")(as_int)
