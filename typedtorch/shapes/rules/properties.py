"""What a tensor says about itself, casts, and the bridges to numbers and numpy."""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.dtypes import ANY, BOOL, COMPLEX, FLOATING, INTEGRAL
from typedtorch.shapes.equality import same
from typedtorch.shapes.ones import at_least
from typedtorch.shapes.rule import attribute, name, rule
from typedtorch.shapes.rules.forms import both, literal, methods, need
from typedtorch.shapes.rules.pointwise import isclose
from typedtorch.shapes.rules.promotion import (
    dtype_of,
    mask_of,
    result_type,
    to_complex,
    to_real,
    want,
    with_dtype,
)
from typedtorch.shapes.size import Size, unknown
from typedtorch.shapes.tensor import (
    ANY_AXES,
    UNKNOWN,
    Dtype,
    Pack,
    Scalar,
    Shape,
    ShapeError,
    Tensor,
    Undecided,
    axis_index,
    entry_size,
    numel,
    same_shape,
    show,
)

# --- casts and moves ---------------------------------------------------------------------------

_KEEP = "n:*"


@rule("torch.Tensor.to", sample="n:*, dtype | n:*, n:a | n:*, 'cpu' | n:*, dtype=dtype | n:*, 'cpu', dtype")
def to(self: Any, *args: Any, dtype: Any = None, **settings: Any) -> Tensor:
    """A dtype, a device, or another tensor's dtype and device."""
    tensor = _formatted(need(self), settings)
    for value in (*args, dtype, settings.get("other")):
        if value is UNKNOWN:
            return with_dtype(tensor, ANY)
        if isinstance(value, Dtype):
            return with_dtype(tensor, value.mask)
        if isinstance(value, Tensor):
            return with_dtype(tensor, mask_of(value))
    return with_dtype(tensor, mask_of(tensor))


def _formatted(tensor: Tensor, settings: Mapping[str, Any]) -> Tensor:
    """A memory format may put the axes in another order."""
    return tensor if settings.get("memory_format") is None else replace(tensor, layout=None)


@rule("torch.Tensor.type", sample="n:*, dtype")
def type(self: Any, dtype: Any = None, non_blocking: Any = False) -> Any:
    if dtype is None:
        raise Undecided
    if isinstance(dtype, str):
        return with_dtype(need(self), ANY)
    return to(self, dtype)


@rule("torch.Tensor.type_as", sample="n:*, n:a")
def type_as(self: Any, other: Any) -> Tensor:
    return with_dtype(need(self), mask_of(need(other)))


@rule(*methods("cuda", "cpu", "detach", "detach_", "pin_memory", "share_memory_"),
      "torch.detach", "torch.detach_",
      sample=_KEEP)  # fmt: skip
def moved(self: Any, *settings: Any, **more: Any) -> Tensor:
    return with_dtype(_formatted(need(self), more), mask_of(self))


@rule("torch.Tensor.to_dense", sample="n:* | f:*, dtype")
def to_dense(self: Any, dtype: Any = None, *, masked_grad: Any = None) -> Tensor:
    return need(self).of(self.shape, dtype_of(dtype, mask_of(self)))


@rule("torch.Tensor.to_sparse", sample="f:a b | f:a")
def to_sparse(self: Any, *settings: Any, **more: Any) -> Tensor:
    """Only the way of storing it is another."""
    return need(self).of(self.shape)


@rule("torch.Tensor.requires_grad_", sample="f:* | n:*, False")
def requires_grad_(self: Any, requires_grad: Any = True) -> Any:
    if requires_grad is not True:
        return need(self)
    want(need(self), FLOATING | COMPLEX, "self", "a floating dtype, which alone has gradients")
    return self


@rule("torch.Tensor.retain_grad", sample="f:")
def retain_grad(self: Any) -> None:
    need(self)


@rule("torch.Tensor.backward", sample="f: | f:1 1")
def backward(
    self: Any, gradient: Any = None, retain_graph: Any = None, create_graph: Any = False, inputs: Any = None
) -> None:
    """Of one number, or with the gradient of each; a loss that is not reduced is neither."""
    check_gradient(self, gradient, "backward() without a gradient")


def check_gradient(self: Any, gradient: Any, what: str = "grad() without grad_outputs") -> None:
    """What flows back into a tensor: one number for each of its own.

    Raises:
        ShapeError: it is of another shape, or missing where there are several numbers.
    """
    if gradient is None:
        _one_element(self, what)
    elif isinstance(gradient, Tensor) and same_shape(need(self).shape, gradient.shape) is False:
        raise ShapeError(
            f"{name(self, 'self')} has shape {show(self.shape)} and its gradient {show(gradient.shape)}: "
            "they must be the same"
        )


def check_mapped(dims: tuple[int | None, ...], *given: Any) -> None:
    """The axes that ``vmap`` maps over: each is there, and all are of one size.

    Raises:
        ShapeError: they are not.
    """
    first: tuple[str, Size] | None = None
    for i, (dim, tensor) in enumerate(zip(dims, given, strict=True)):
        if dim is None or not isinstance(tensor, Tensor) or tensor.rank is None:
            continue
        who = name(tensor, f"argument {i}")
        if not -tensor.rank <= dim < tensor.rank:
            raise ShapeError(f"{who} has shape {show(tensor.shape)}: it has no axis {dim} to map over")
        size = tensor.sizes()[dim]
        if first is not None and same(first[1], size) is False:
            raise ShapeError(
                f"maps over axis {dim} of {who}, which is {size}, and over {first[0]}, which is {first[1]}: "
                "they must be equal"
            )
        first = first or (f"axis {dim} of {who}", size)


# --- complex numbers ---------------------------------------------------------------------------


@rule("torch.view_as_real", sample="c:*")
def view_as_real(input: Any) -> Tensor:
    """``(...,)`` complex to ``(..., 2)`` real."""
    mask = want(need(input), COMPLEX, "input", "a complex dtype")
    return input.of((*input.shape, 2), to_real(mask))


@rule("torch.view_as_complex", sample="f:... 2")
def view_as_complex(input: Any) -> Tensor:
    """``(..., 2)`` real to ``(...,)`` complex."""
    mask = want(need(input), FLOATING & ~dtypes.BFLOAT16, "input", "float16, float32 or float64")
    if not input.shape:
        raise ShapeError(f"{name(input, 'input')} has no axes, wanted (..., 2)")
    last = input.shape[-1]
    if isinstance(last, Pack):
        return input.of((ANY_AXES,), to_complex(mask))

    if same(last, 2) is False:
        raise ShapeError(
            f"the last axis of {name(input, 'input')} is {last}, wanted 2: real and imaginary part"
        )
    return input.of(input.shape[:-1], to_complex(mask))


@attribute("torch.Tensor.real", sample="n:*")
@rule("torch.real", sample="n:*")
def real(self: Any) -> Tensor:
    return need(self).of(self.shape, to_real(mask_of(self)))


@attribute("torch.Tensor.imag", sample="c:*")
@rule("torch.imag", sample="c:*")
def imag(self: Any) -> Tensor:
    return need(self).of(self.shape, to_real(want(self, COMPLEX, "self", "a complex dtype")))


# --- attributes --------------------------------------------------------------------------------


@attribute("torch.Tensor.shape", sample="n:*")
def shape(self: Any) -> Any:
    return need(self).shape


@attribute("torch.Tensor.dtype", sample="n:*")
def dtype(self: Any) -> Dtype:
    return Dtype(mask_of(need(self)))


@attribute("torch.Tensor.ndim", sample="n:*")
def ndim(self: Any) -> Size:
    rank = need(self).rank
    return unknown() if rank is None else rank


@attribute("torch.Tensor.data", sample="n:*")
def data(self: Any) -> Tensor:
    return with_dtype(need(self), mask_of(self))


@attribute("torch.Tensor.itemsize", "torch.Tensor.nbytes", sample="n:*")
def itemsize(self: Any) -> Size:
    return unknown()


@attribute(
    "torch.Tensor.requires_grad",
    "torch.Tensor.is_cuda",
    "torch.Tensor.is_leaf",
    "torch.Tensor.is_sparse",
    sample="f:*",
)
def some_bool(self: Any) -> Scalar:
    need(self)
    return Scalar("bool")


# --- numbers -----------------------------------------------------------------------------------


@rule("torch.Tensor.size", sample="n:* | n:*, dim | n:*, dim=dim")
def size(self: Any, dim: Any = None) -> Any:
    tensor = need(self)
    if dim is None:
        return tensor.shape
    try:
        place = axis_index(tensor.shape, literal(dim), name(self, "self"))
    except Undecided:
        return unknown()
    if not tensor.shape:
        raise ShapeError(f"{name(self, 'self')} has no axes, so size({dim}) does not exist")
    return entry_size(tensor.shape[place])


@rule(*methods("dim", "ndimension"), sample="n:*")
def dim(self: Any) -> Size:
    return ndim(self)


@rule(*both("numel"), "torch.Tensor.nelement", sample="n:*")
def numel_(input: Any) -> Size:
    try:
        return numel(need(input).shape)
    except Undecided:
        return unknown()


@rule("torch.Tensor.__len__", sample="n:a ...")
def length(self: Any) -> Size:
    if need(self).rank == 0:
        raise ShapeError(f"{name(self, 'self')} has no axes, so no length")
    first = self.shape[0]
    return unknown() if isinstance(first, Pack) else first


@rule("torch.Tensor.item", sample="n: | n:1 1")
def item(self: Any) -> Any:
    """A Python number of the tensor's kind."""
    tensor = need(self)
    _one_element(tensor, "item()")
    mask = mask_of(tensor)
    if not mask & ~BOOL:
        return Scalar("bool")
    if not mask & ~INTEGRAL:
        return unknown()
    return Scalar("float") if not mask & ~(FLOATING | INTEGRAL) and not mask & INTEGRAL else UNKNOWN


def _one_element(self: Any, what: str) -> None:
    tensor = need(self)
    if several(tensor.shape):
        raise ShapeError(
            f"{name(self, 'self')} has shape {show(tensor.shape)}: {what} takes a tensor of one element"
        )


def several(shape: Shape) -> bool:
    """Whether a tensor certainly has not one element: one number above 1 among its axes is enough.

    A run of axes may be none: ``x.argmax(-1).item()`` of ``*batch n`` takes one row at a time.
    """
    if any(isinstance(e, int) and e > 1 for e in shape):
        return True
    return all(map(_generic, shape)) and at_least(numel(shape)) != 1


def _generic(entry: Any) -> bool:
    return not isinstance(entry, Pack) and (
        isinstance(entry, int) or all(a.kind == "axis" for a in entry.atoms())
    )


@rule("torch.Tensor.__bool__", sample="n: | n:1 1")
def truth(self: Any) -> Scalar:
    tensor = need(self)
    if several(tensor.shape):
        raise ShapeError(
            f"{name(self, 'self')} has shape {show(tensor.shape)}: the truth of several elements is "
            "ambiguous",
            hint="use .any() or .all()",
        )
    return Scalar("bool")


@rule("torch.Tensor.__float__", sample="f: | f:1")
def as_float(self: Any) -> Scalar:
    _one_element(self, "float()")
    return Scalar("float")


@rule("torch.Tensor.__int__", sample="I: | I:1")
def as_int(self: Any) -> Size:
    _one_element(self, "int()")
    return unknown()


@rule("torch.Tensor.__index__", sample="I: | I:1")
def as_index(self: Any) -> Size:
    _one_element(self, "an index")
    want(need(self), INTEGRAL, "self", "integers")
    return unknown()


@rule(*both("is_floating_point"), sample="n:*")
def is_floating_point(input: Any) -> Any:
    mask = mask_of(need(input))
    return True if not mask & ~FLOATING else False if not mask & FLOATING else Scalar("bool")


@rule(*both("is_complex"), sample="n:*")
def is_complex(input: Any) -> Any:
    mask = mask_of(need(input))
    return True if not mask & ~COMPLEX else False if not mask & COMPLEX else Scalar("bool")


@rule("torch.Tensor.is_contiguous", sample="f:*")
def is_contiguous(self: Any, memory_format: Any = None) -> Scalar:
    return Scalar("bool")


@rule(*both("equal"), sample="f:a, f:a | f:a b, f:a b")
def equal(input: Any, other: Any) -> Scalar:
    need(input), need(other)
    return Scalar("bool")


@rule(*both("allclose"), sample="f:a, f:a | f:a b, f:a b")
def allclose(input: Any, other: Any, *settings: Any, **more: Any) -> Scalar:
    isclose(input, other)
    return Scalar("bool")


@rule("torch.result_type", sample="n:*, n:* | n:*, num")
def result_type_(tensor1: Any, tensor2: Any) -> Dtype:
    return Dtype(result_type(tensor1, tensor2))


@rule("torch.Tensor.stride", sample="f:* | f:*, dim")
def stride(self: Any, dim: Any = None) -> Any:
    if dim is not None:
        size(self, dim)
        return unknown()
    return tuple(unknown() for _ in need(self).sizes())


# --- numpy -------------------------------------------------------------------------------------


@rule("torch.Tensor.numpy", sample="n:*")
def numpy(self: Any, *, force: Any = False) -> Tensor:
    tensor = need(self)
    allowed = ANY & ~(dtypes.BFLOAT16 | dtypes.FLOAT8 | dtypes.SUBBYTE | dtypes.BIT["complex32"])
    hint = f"cast first: {name(self, 'self')}.float().numpy()"
    made = tensor.of(tensor.shape, want(tensor, allowed, "self", "a dtype that numpy has", hint))
    return replace(made, library="numpy")


@rule("torch.from_numpy", sample="@r:*")
def from_numpy(ndarray: Any) -> Tensor:
    array = need(ndarray)
    return replace(array.of(array.shape, mask_of(array) & ~dtypes.BIT["other"] or ANY), library="torch")
