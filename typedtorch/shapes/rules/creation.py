"""Tensors from sizes and numbers."""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.dtypes import ANY, FLOAT32, FLOATING, INT64
from typedtorch.shapes.python_numbers import number_kind
from typedtorch.shapes.rule import name, rule
from typedtorch.shapes.rules.forms import both, counted, functional, is_size, methods, need, pointwise
from typedtorch.shapes.rules.indexing import broadcastable_into
from typedtorch.shapes.rules.layout import contiguous_strides
from typedtorch.shapes.rules.promotion import (
    common_dtype,
    dtype_of,
    mask_of,
    scalar_dtype,
    to_complex,
    want,
    with_dtype,
)
from typedtorch.shapes.rules.reduction import summed
from typedtorch.shapes.rules.views import sizes_of
from typedtorch.shapes.size import Size, unknown
from typedtorch.shapes.tensor import (
    ANY_AXES,
    UNKNOWN,
    Pack,
    Shape,
    ShapeError,
    Tensor,
    Undecided,
    same_shape,
    shape_from,
    show,
)


def from_sizes(sizes: Any, dtype: int, library: Any = "torch") -> Tensor:
    """A new tensor of these sizes.

    Raises:
        ShapeError: one of them is negative.
    """
    shape = shape_from(sizes)
    for entry in shape:
        if isinstance(entry, int) and entry < 0:
            raise ShapeError(f"{entry} is not a size: {show(shape)}")
    return Tensor(shape, dtype, deliberate=1 in shape, layout=contiguous_strides(shape), library=library)


_SHAPES = "size:a, size:b | (size:a, 2) | [size:a, size:b] | size:a, 3, dtype=dtype | size:a | ()"


@rule("torch.zeros", "torch.ones", "torch.empty", sample=_SHAPES)
def zeros(*size: Any, dtype: Any = None, **settings: Any) -> Tensor:
    if "size" in settings:
        size = (settings["size"],)
    return from_sizes(sizes_of(size), dtype_of(dtype, FLOAT32))


@rule("torch.rand", "torch.randn", sample=_SHAPES.replace("=dtype", "=fdtype"))
def rand(*size: Any, dtype: Any = None, **settings: Any) -> Tensor:
    if "size" in settings:
        size = (settings["size"],)
    return from_sizes(sizes_of(size), dtype_of(dtype, FLOAT32))


@rule(
    "torch.full",
    sample="(size:a, size:b), 0.5 | (size:a, 3), 2 | (size:a,), True | (size:a,), 1, dtype=dtype",
)
def full(size: Any, fill_value: Any, *, dtype: Any = None, **settings: Any) -> Tensor:
    kind = (
        mask_of(fill_value)
        if isinstance(fill_value, Tensor)
        else ANY
        if fill_value is UNKNOWN
        else scalar_dtype(fill_value)
    )
    return from_sizes(sizes_of((size,)), dtype_of(dtype, kind))


def _in_format(tensor: Tensor, settings: Mapping[str, Any]) -> Tensor:
    """Where the memory format is said, the axes do not lie as those of the input do."""
    return replace(tensor, layout=None) if settings.get("memory_format") is not None else tensor


_LIKE = "n:* | n:*, dtype=dtype"


@rule("torch.zeros_like", "torch.ones_like", "torch.empty_like", sample=_LIKE)
def zeros_like(input: Any, *, dtype: Any = None, **settings: Any) -> Tensor:
    return _in_format(with_dtype(need(input), dtype_of(dtype, mask_of(input))), settings)


@rule("torch.rand_like", "torch.randn_like", sample="f:* | f:*, dtype=fdtype")
def rand_like(input: Any, *, dtype: Any = None, **settings: Any) -> Tensor:
    hint = f"torch.rand_like({name(input, 'input')}, dtype=torch.float32)"
    if dtype is None:
        return with_dtype(
            need(input), want(need(input), FLOATING | dtypes.COMPLEX, "input", "a floating dtype", hint)
        )
    return _in_format(with_dtype(need(input), dtype_of(dtype, ANY)), settings)


@rule("torch.full_like", sample="n:*, 2 | f:*, 0.5 | n:*, 1, dtype=dtype")
def full_like(input: Any, fill_value: Any, *, dtype: Any = None, **settings: Any) -> Tensor:
    return _in_format(with_dtype(need(input), dtype_of(dtype, mask_of(input))), settings)


@rule("torch.randint_like", sample="r:*, 3 | f:*, 1, 5")
def randint_like(input: Any, low: Any = 0, high: Any = None, *, dtype: Any = None, **settings: Any) -> Tensor:
    return _in_format(with_dtype(need(input), dtype_of(dtype, mask_of(input))), settings)


@rule(
    *methods("new_zeros", "new_ones", "new_empty"),
    sample="n:*, size:a, size:b | n:*, (size:a, 2) | n:*, 3, dtype=dtype",
)
def new_zeros(self: Any, *size: Any, dtype: Any = None, **settings: Any) -> Tensor:
    if "size" in settings:
        size = (settings["size"],)
    return from_sizes(sizes_of(size), dtype_of(dtype, mask_of(need(self))))


@rule("torch.Tensor.new_full", sample="n:*, (size:a, 2), 1 | n:*, (3,), 2, dtype=dtype")
def new_full(self: Any, size: Any, fill_value: Any, *, dtype: Any = None, **settings: Any) -> Tensor:
    return from_sizes(sizes_of((size,)), dtype_of(dtype, mask_of(need(self))))


@rule("torch.Tensor.new_tensor", sample="n:*, [1, 2] | n:*, [[1, 2]], dtype=dtype | n:*, n:*")
def new_tensor(self: Any, data: Any, *, dtype: Any = None, **settings: Any) -> Tensor:
    return Tensor(shape_of_data(data)[0], dtype_of(dtype, mask_of(need(self))))


@rule("torch.empty_strided", sample="(size:a, 2), (2, 1)")
def empty_strided(size: Any, stride: Any, *, dtype: Any = None, **settings: Any) -> Tensor:
    both_listed = isinstance(size, (tuple, list)) and isinstance(stride, (tuple, list))
    if both_listed and len(counted(size)) != len(counted(stride)):
        raise ShapeError(f"size has {len(size)} entries and stride {len(stride)}")
    return Tensor(shape_from(sizes_of((size,))), dtype_of(dtype, FLOAT32))


# --- ranges ------------------------------------------------------------------------------------


@rule(
    "torch.arange",
    sample="size:a | 2, 9 | 0, size:a, 2 | size:a, size:a+3 | 0.0, 1.0, 0.25 | size:a, dtype=fdtype | 5.0",
)
def arange(start: Any = 0, end: Any = None, step: Any = 1, *, dtype: Any = None, **settings: Any) -> Tensor:
    if end is None:
        start, end = 0, start
    numbers = (start, end, step)
    kinds = {number_kind(n) for n in numbers} - {"int", "bool"}
    kind = FLOAT32 if kinds == {"float"} else ANY if kinds else INT64
    made = dtype_of(dtype, kind)
    size = _range_size(start, end, step)
    if dtype is not None and made & INT64 and "float" in kinds:
        # in int64 computed with the integers that the numbers are cut to
        whole = tuple(map(_cut_to_int, numbers))
        if made == INT64:
            size = _range_size(*whole)
        elif whole[2] == 0 or _range_size(*whole) != size:
            size = unknown()
    return Tensor((size,), made, layout=(1,))


def _cut_to_int(number: Any) -> Any:
    return int(number) if isinstance(number, float) else number


def _range_size(start: Any, end: Any, step: Any) -> Size:
    if all(isinstance(n, (int, float)) for n in (start, end, step)):
        if step == 0:
            raise ShapeError("arange: the step is 0")
        count = math.ceil((end - start) / step)
        if count < 0:
            raise ShapeError(f"arange from {start} to {end} in steps of {step} goes the wrong way")
        return count
    if all(is_size(n) for n in (start, end)) and isinstance(step, int) and step > 0:
        length = end - start
        return length if step == 1 else (length + step - 1) // step
    return unknown()


@rule("torch.linspace", sample="0.0, 1.0, size:n | 0, 1, 5 | 0, 1, steps=size:n | 0.0, 1.0, 3, dtype=fdtype")
def linspace(start: Any, end: Any, steps: Any, *, dtype: Any = None, **settings: Any) -> Tensor:
    return Tensor((steps if is_size(steps) else unknown(),), dtype_of(dtype, FLOAT32), layout=(1,))


@rule("torch.logspace", sample="0.0, 1.0, size:n | 0, 1, 5, 2.0")
def logspace(
    start: Any, end: Any, steps: Any, base: Any = 10.0, *, dtype: Any = None, **settings: Any
) -> Tensor:
    return linspace(start, end, steps, dtype=dtype)


@rule("torch.eye", sample="size:n | size:n, size:m | size:n, dtype=dtype")
def eye(n: Any, m: Any = None, *, dtype: Any = None, **settings: Any) -> Tensor:
    return from_sizes((n, n if m is None else m), dtype_of(dtype, FLOAT32))


# --- from data ---------------------------------------------------------------------------------


@rule(
    "torch.tensor",
    sample="[1, 2, 3] | [[0.5, 1], [2, 3]] | 3 | 0.5 | [True, False] | [[1], [2]], dtype=dtype | []",
)
def tensor(data: Any, *, dtype: Any = None, **settings: Any) -> Tensor:
    shape, kind = shape_of_data(data)
    return Tensor(shape, dtype_of(dtype, kind), deliberate=1 in shape)


@rule("torch.as_tensor", "torch.asarray", sample="[1, 2, 3] | [[0.5, 1]] | n:* | n:*, dtype=dtype")
def as_tensor(data: Any, dtype: Any = None, **settings: Any) -> Tensor:
    return tensor(data, dtype=dtype)


def shape_of_data(data: Any, *, inside: bool = False) -> tuple[Shape, int]:
    """The shape and dtype of nested lists of numbers; a tensor that begins a list stands for a number."""
    if data is UNKNOWN:
        return (ANY_AXES,), ANY
    if isinstance(data, Tensor):
        if inside and data.library == "torch":
            if any(isinstance(size, int) and size != 1 for size in data.shape):
                label, shape = name(data, "an item"), show(data.shape)
                raise ShapeError(
                    f"{label} has shape {shape}, wanted one number", hint="torch.stack joins tensors"
                )
            return (), mask_of(data)
        return data.shape, mask_of(data)
    if not isinstance(data, (list, tuple)):
        return (), scalar_dtype(data)
    if not data:
        return (0,), FLOAT32
    lists = isinstance(data[0], (list, tuple))  # behind a list a tensor is read as one
    items = [shape_of_data(d, inside=not (lists and i)) for i, d in enumerate(data)]
    known = [s for s, _ in items if not any(isinstance(e, Pack) for e in s)]
    other = next((s for s in known if same_shape(s, known[0]) is False), None)
    if other is not None:
        raise ShapeError(f"the items have different shapes: {show(known[0])} and {show(other)}")
    if len(known) < len(items) and (not known or known[0]):
        return (
            len(data),
            ANY_AXES,
        ), ANY  # beside a number are numbers; a list may only be called one
    kind = 0
    for _, one in items:
        kind = dtypes.promote(kind, one) if kind and ANY not in (one, kind) else one if not kind else ANY
    return (len(data), *known[0]), kind


@rule("torch.scalar_tensor", sample="1.0 | 2, dtype=dtype")
def scalar_tensor(s: Any, *, dtype: Any = None, **settings: Any) -> Tensor:
    return Tensor((), dtype_of(dtype, FLOAT32))


@rule("torch.complex", sample="F:#*, F:#*")
def complex(real: Any, imag: Any, *, out: Any = None) -> Tensor:

    mask = common_dtype((need(real), "real"), (need(imag), "imag"))
    if not mask & FLOATING:
        raise ShapeError(f"{name(real, 'real')} is {dtypes.show(mask)}, wanted a floating dtype", "dtype")
    return pointwise((real, "real"), (imag, "imag"), dtype=to_complex(mask & FLOATING))


@rule("torch.polar", sample="F:#*, F:#*")
def polar(abs: Any, angle: Any, *, out: Any = None) -> Tensor:
    return complex(abs, angle)


# --- random ------------------------------------------------------------------------------------


@rule(
    "torch.randint",
    sample="5, (size:a, size:b) | 1, 5, (size:a,) | 0, 5, (size:a,), dtype=fdtype | "
    "low=0, high=5, size=(size:a,)",
)
def randint(
    low: Any = 0, high: Any = None, size: Any = None, *, dtype: Any = None, **settings: Any
) -> Tensor:
    if isinstance(high, (tuple, list)):
        size = high
    if size is None:
        raise Undecided
    return from_sizes(sizes_of((size,)), dtype_of(dtype, INT64))


@rule("torch.randperm", sample="size:n | 5 | size:n, dtype=fdtype")
def randperm(n: Any, *, dtype: Any = None, **settings: Any) -> Tensor:
    return Tensor((n if is_size(n) else unknown(),), dtype_of(dtype, INT64), layout=(1,))


@rule("torch.normal", sample="f:*, f:* | 0.0, 1.0, (size:a, 2) | f:*, 1.0 | 0.0, f:*")
def normal(mean: Any, std: Any = 1.0, size: Any = None, *, dtype: Any = None, **settings: Any) -> Tensor:
    if size is not None:
        return from_sizes(sizes_of((size,)), dtype_of(dtype, FLOAT32))

    operands = [(o, p) for o, p in ((mean, "mean"), (std, "std")) if isinstance(o, Tensor)]
    if not operands:
        raise Undecided
    want(operands[0][0], FLOATING | dtypes.COMPLEX, operands[0][1], "a floating dtype")
    return replace(pointwise(*operands, dtype=mask_of(operands[0][0])), layout=None)


@rule(*both("bernoulli"), sample="f:* | f:*, 0.5")
def bernoulli(input: Any, p: Any = None, *, generator: Any = None, out: Any = None) -> Tensor:
    if p is not None:
        return replace(with_dtype(need(input), mask_of(input)), layout=None)
    mask = want(need(input), FLOATING, "input", "a floating dtype: it holds probabilities")
    return replace(with_dtype(input, mask), layout=None)


@rule("torch.poisson", sample="f:*")
def poisson(input: Any, generator: Any = None) -> Tensor:
    return with_dtype(need(input), want(need(input), FLOATING, "input", "a floating dtype"))


@rule(*both("multinomial"), sample="F:A, 3 | F:b A, 2 | F:b A, size:k, True | F:b A, num_samples=1")
def multinomial(
    input: Any, num_samples: Any, replacement: Any = False, *, generator: Any = None, out: Any = None
) -> Tensor:
    """``(n,) -> (k,)``, ``(b, n) -> (b, k)``."""
    given = need(input)
    want(given, FLOATING, "input", "a floating dtype: it holds probabilities")
    count: Size = num_samples if is_size(num_samples) else unknown()
    if given.rank is None:
        return given.of((ANY_AXES, count), INT64)
    if len(given.shape) not in (1, 2):
        raise ShapeError(
            f"{name(input, 'input')} has shape {show(given.shape)}: multinomial takes (n,) or (batch, n)"
        )
    classes = given.sizes()[-1]
    if replacement is False and isinstance(classes, int) and isinstance(count, int) and count > classes:
        raise ShapeError(f"{count} samples without replacement from {classes} classes")
    return given.of((*given.shape[:-1], count), INT64)


@rule(*methods("zero_", "random_", "bernoulli_"), sample="n:*")
def zero_(self: Any, *settings: Any, **more: Any) -> Tensor:
    return need(self)


@rule(*methods("uniform_", "normal_"), sample="f:*")
def uniform_(self: Any, *settings: Any, **more: Any) -> Tensor:
    want(need(self), FLOATING | dtypes.COMPLEX, "self", "a floating dtype")
    return need(self)


@rule(*methods("log_normal_", "cauchy_", "exponential_"), sample="f:*")
def exponential_(self: Any, *settings: Any, **more: Any) -> Tensor:
    want(need(self), FLOATING, "self", "a floating dtype")
    return need(self)


@rule("torch.Tensor.geometric_", sample="f:*, 0.5")
def geometric_(self: Any, p: Any, *, generator: Any = None) -> Tensor:
    return need(self)


@rule("torch.Tensor.fill_", sample="n:*, 1 | f:*, 0.5 | f:*, F:")
def fill_(self: Any, value: Any) -> Tensor:
    if isinstance(value, Tensor) and value.rank not in (None, 0):
        raise ShapeError(f"{name(value, 'value')} has shape {show(value.shape)}: fill_ takes one number")
    return need(self)


@rule("torch.Tensor.copy_", sample="n:*, n:#* | f:a b, f:b")
def copy_(self: Any, src: Any, non_blocking: Any = False) -> Tensor:
    if broadcastable_into(need(src).shape, need(self).shape) is False:
        raise ShapeError(
            f"{name(src, 'src')} of shape {show(src.shape)} does not broadcast to "
            f"{name(self, 'self')}, {show(self.shape)}"
        )
    return need(self)


@rule(*functional("one_hot"), sample="I:*, 5 | I:a b, num_classes=size:n | I:a b")
def one_hot(tensor: Any, num_classes: Any = -1) -> Tensor:
    """One more axis, of the number of classes."""
    want(need(tensor), INT64, "tensor", "int64", f"use {name(tensor, 'tensor')}.long()")
    classes = num_classes if is_size(num_classes) and num_classes != -1 else unknown()
    return tensor.of((*tensor.shape, classes), INT64)


@rule("torch.vander", sample="f:n | f:n, 3")
def vander(x: Any, N: Any = None, increasing: Any = False) -> Tensor:
    if len(need(x).sizes()) != 1:
        raise ShapeError(f"{name(x, 'x')} has shape {show(x.shape)}, wanted one axis")
    (length,) = x.sizes()
    return x.of((length, length if N is None else N), summed(mask_of(x)))
