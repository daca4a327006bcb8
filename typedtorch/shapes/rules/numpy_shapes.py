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
from typedtorch.shapes.rules.forms import broadcast_operands, is_size, need
from typedtorch.shapes.rules.numpy_arrays import _unary
from typedtorch.shapes.rules.numpy_creation import zeros_like
from typedtorch.shapes.rules.numpy_dtypes import _array, _dtype, _methods, _names, _numpy, _result
from typedtorch.shapes.rules.promotion import to_real
from typedtorch.shapes.rules.properties import numel_
from typedtorch.shapes.size import Size, unknown
from typedtorch.shapes.tensor import (
    Scalar,
    ShapeError,
    Tensor,
    Undecided,
)

# --- shapes ------------------------------------------------------------------------------------


@rule(*_names("reshape"), sample="@f:a b, (size:a*b,) | @f:a b, (-1, size:b) | @f:a b, -1")
def reshape(a: Any, shape: Any, order: Any = "C") -> Tensor:
    return _numpy(views._reshaped(_array(a), views.sizes_of((shape,)), name(a, "a")))


@rule(*_methods("reshape"), sample="@f:a b, size:a*b | @f:a b, (-1, size:b) | @f:a b, size:b, -1")
def reshape_method(self: Any, *shape: Any, order: Any = "C") -> Tensor:
    return _numpy(views._reshaped(need(self), views.sizes_of(shape), name(self, "self")))


@rule(*_methods("flatten ravel"), *_names("ravel"), sample="@f:*")
def flatten(a: Any, order: Any = "C") -> Tensor:
    return _numpy(views.flatten(_array(a)))


@rule(*_names("transpose"), sample="@f:a b c | @f:a b c, (2, 0, 1)")
def transpose(a: Any, axes: Any = None) -> Tensor:
    return _numpy(permuting.T(_array(a)) if axes is None else permuting.permute(a, axes))


@rule(*_methods("transpose"), sample="@f:a b c | @f:a b c, 2, 0, 1 | @f:a b c, (0, 2, 1)")
def transpose_method(self: Any, *axes: Any) -> Tensor:
    return transpose(self, views.sizes_of(axes) if axes else None)


@attribute("numpy.ndarray.size", sample="@f:*")
def size(self: Any) -> Size:
    """How many elements an array has; for a tensor of torch this is a method."""
    return numel_(self)


@attribute("numpy.ndarray.T", sample="@f:*")
def T(self: Any) -> Tensor:
    return transpose(self)


@rule(*_names("swapaxes"), *_methods("swapaxes"), sample="@f:a b c, 0, -1")
def swapaxes(a: Any, axis1: Any, axis2: Any) -> Tensor:
    if _array(a).rank == 0:
        raise Undecided
    return _numpy(permuting.transpose(_array(a), axis1, axis2))


@rule(*_names("moveaxis"), sample="@f:a b c, 0, -1")
def moveaxis(a: Any, source: Any, destination: Any) -> Tensor:
    return _numpy(permuting.movedim(_array(a), source, destination))


@rule(*_names("expand_dims"), sample="@f:a b, place")
def expand_dims(a: Any, axis: Any) -> Tensor:
    made: Tensor = views.unsqueeze(_array(a), axis)
    return Tensor(made.shape, made.dtype, deliberate=True, library="numpy")


@rule(*_names("squeeze"), *_methods("squeeze"), sample="@f:a 1 b | @f:a 1 b, 1")
def squeeze(a: Any, axis: Any = None) -> Tensor:
    given = _array(a)
    if axis is None:
        return _numpy(views.squeeze(given))
    made: Tensor = views.squeeze(given, axis)
    if made.rank is not None and given.rank is not None and len(made.shape) == len(given.shape):
        raise ShapeError(f"axis {axis} of {name(a, 'a')} is not 1")
    return _numpy(made)


@rule(*_names("broadcast_to"), sample="@f:1 a, (size:b, size:a)")
def broadcast_to(array: Any, shape: Any) -> Tensor:
    return _numpy(views.broadcast_to(_array(array), shape))


@rule(*_names("concatenate"), sample="[@f:a b, @f:c b] | [@f:a b, @f:a c], 1 | [@f:a b, @f:a c], axis=-1")
def concatenate(arrays: Any, axis: Any = 0, **settings: Any) -> Tensor:
    given = [_array(a) for a in joining.tensors_of(arrays)]
    if axis is None:
        raise Undecided
    if any(t.shape == (0,) for t in given):
        raise Undecided
    return Tensor(joining.cat(given, axis).shape, _result(*given), library="numpy")


@rule(*_names("stack"), sample="[@f:a b, @f:a b] | [@f:a b, @f:a b], -1")
def stack(arrays: Any, axis: Any = 0, **settings: Any) -> Tensor:
    given = joining.tensors_of(arrays)
    return Tensor(joining.stack(given, axis).shape, _result(*given), library="numpy")


@rule(*_names("hstack"), sample="[@f:a b, @f:a c] | [@f:a, @f:b]")
def hstack(tup: Any, **settings: Any) -> Tensor:
    given = joining.tensors_of(tup)
    return Tensor(joining.hstack(given).shape, _result(*given), library="numpy")


@rule(*_names("vstack"), sample="[@f:a b, @f:c b] | [@f:a, @f:a]")
def vstack(tup: Any, **settings: Any) -> Tensor:
    given = joining.tensors_of(tup)
    return Tensor(joining.vstack(given).shape, _result(*given), library="numpy")


@rule(*_names("split"), sample="@f:a 2*b, 2, 1 | @f:9 b, (2, 5)")
def split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    given = _array(ary)
    place, size = splitting._cut(given, axis, name(ary, "ary"))
    if isinstance(indices_or_sections, int) and isinstance(size, int) and size % indices_or_sections:
        raise ShapeError(
            f"axis {axis} of {name(ary, 'ary')} is {size}, which {indices_or_sections} does not divide"
        )
    return _numpy(splitting._pieces(given, place, splitting._section_sizes(size, indices_or_sections)))


@rule(*_names("repeat"), *_methods("repeat"), sample="@f:a b, 2 | @f:a b, 3, dim")
def repeat(a: Any, repeats: Any, axis: Any = None) -> Tensor:
    return _numpy(repeating.repeat_interleave(_array(a), repeats, axis))


@rule(*_names("tile"), sample="@f:a b, (2, 3) | @f:a, 2")
def tile(A: Any, reps: Any) -> Tensor:
    given = _array(A)
    return _numpy(repeating.tile_method(given, *([reps] if is_size(reps) else reps)))


@rule(*_names("meshgrid"), sample="@f:a, @f:b | @f:a, @f:b, indexing='ij'")
def meshgrid(*xi: Any, indexing: Any = "xy", **settings: Any) -> Any:
    axes = joining.meshgrid(*(Tensor(views.flatten(_array(x)).shape) for x in xi), indexing=indexing)
    return tuple(Tensor(t.shape, _array(x).dtype, library="numpy") for t, x in zip(axes, xi, strict=True))


# --- products ----------------------------------------------------------------------------------


@rule(*_names("matmul"), *_methods("__matmul__"), sample="@f:... m k, @f:... k n | @f:m k, @f:k")
def matmul(x1: Any, x2: Any) -> Tensor:
    left, right = _array(x1), _array(x2)
    return Tensor(
        linear.matmul_shape(left, right, name(x1, "x1"), name(x2, "x2")),
        _result(left, right),
        library="numpy",
    )


@rule(*_names("dot"), *_methods("dot"), sample="@f:m k, @f:k n | @f:k, @f:k")
def dot(a: Any, b: Any) -> Tensor:
    left, right = _array(a), _array(b)
    if left.rank not in (1, 2) or right.rank not in (1, 2):
        raise Undecided
    return matmul(left, right)


@rule(*_names("outer"), sample="@f:a, @f:b")
def outer(a: Any, b: Any) -> Tensor:
    left, right = views.flatten(_array(a)), views.flatten(_array(b))
    return Tensor((*left.shape, *right.shape), _result(_array(a), _array(b)), library="numpy")


@rule(*_names("einsum"), sample="'bsd,dk->bsk', @f:b s d, @f:d k | 'ij->ji', @f:i j")
def numpy_einsum(subscripts: Any, *operands: Any, **settings: Any) -> Tensor:
    given = [_array(o) for o in operands]
    mask = _result(*given)
    return Tensor(
        einsum(subscripts, *(Tensor(t.shape, mask, t.label) for t in given)).shape, mask, library="numpy"
    )


# --- the rest ----------------------------------------------------------------------------------


@rule(*_methods("astype"), sample="@n:*, ndtype")
def astype(self: Any, dtype: Any, *settings: Any, **more: Any) -> Tensor:
    return Tensor(need(self).shape, _dtype(dtype, ANY), library="numpy")


@rule(*_methods("copy view"), sample="@n:*")
def copied(self: Any, *settings: Any) -> Tensor:
    if settings:
        raise Undecided
    return zeros_like(self)


rule(
    *_methods("__getitem__"),
    sample="@f:a b c, 0 | @f:a b, (slice(None), None) | @f:a b, (..., 0) | @f:a b, @I:n | @f:a b, @B:a b",
)(indexing.getitem)


@rule(*_names("argsort"), *_methods("argsort"), sample="@f:a b | @f:a b, dim")
def argsort(a: Any, axis: Any = -1, **settings: Any) -> Tensor:
    if axis is None:
        raise Undecided
    return Tensor(reduction._scan(_array(a), axis, INT64).shape, INT64, library="numpy")


@rule(*_names("sort"), sample="@f:a b | @f:a b, dim")
def sort(a: Any, axis: Any = -1, **settings: Any) -> Tensor:
    if axis is None:
        raise Undecided
    return _numpy(reduction._scan(_array(a), axis, _array(a).dtype))


@rule(*_names("unique"), sample="@f:a b")
def unique(ar: Any, *settings: Any, **more: Any) -> Tensor:
    if settings or more:
        raise Undecided
    return Tensor((unknown(),), _array(ar).dtype, library="numpy")


@rule(*_names("allclose"), sample="@f:a b, @f:a b")
def allclose(a: Any, b: Any, *settings: Any, **more: Any) -> Scalar:
    broadcast_operands((_array(a), "a"), (_array(b), "b"))
    return Scalar("bool")


attribute("numpy.ndarray.real", sample="@n:*")(_unary(to_real))
