"""Operators that repeat elements."""

from __future__ import annotations

from typing import Any

from typedtorch.shapes.rule import name, rule
from typedtorch.shapes.rules.forms import both, expect_shape, is_size, literal, need
from typedtorch.shapes.rules.views import entries_of, flatten, sizes_of
from typedtorch.shapes.size import unknown
from typedtorch.shapes.tensor import (
    ANY_AXES,
    Pack,
    ShapeError,
    Tensor,
    Undecided,
    axes_text,
    axis_index,
    entry_size,
    replaced,
)


@rule("torch.Tensor.repeat", sample="f:a b, 2, 3 | f:a b, (size:c, 1, 2) | f:a, size:b, 1")
def repeat(self: Any, *repeats: Any) -> Tensor:
    tensor, times = need(self), entries_of(sizes_of(repeats))
    if any(isinstance(n, Pack) for n in times):
        return tensor.of((ANY_AXES,))  # as often as there are axes in a shape that is not known
    if tensor.rank is None:
        return tensor.of(tuple(unknown() for _ in times))
    extra = len(times) - len(tensor.shape)
    if extra < 0:
        raise ShapeError(
            f"repeat has {len(times)} numbers and {name(self, 'self')} has {axes_text(tensor.shape)}"
        )
    padded = (*(1 for _ in range(extra)), *tensor.sizes())
    return tensor.of(size * entry_size(n) for size, n in zip(padded, times, strict=True))


@rule("torch.Tensor.tile", sample="f:a b, 2, 3 | f:a b, 2 | f:a, (2, size:b)")
def tile_method(self: Any, *dims: Any) -> Tensor:
    tensor, times = need(self), entries_of(sizes_of(dims))
    return repeat(tensor, *(1 for _ in range(len(tensor.sizes()) - len(times))), *times)


@rule("torch.tile", sample="f:a b, (2, 3) | f:a b, (2,)")
def tile(input: Any, dims: Any) -> Tensor:
    return tile_method(input, dims)


@rule(
    *both("repeat_interleave"), sample="f:a b, 2, dim | f:a b, 3 | f:a b, size:c, dim=0 | f:a b, 2, dim=dim"
)
def repeat_interleave(input: Any, repeats: Any = None, dim: Any = None, *, output_size: Any = None) -> Tensor:
    tensor = need(input)
    times = repeats if is_size(repeats) else None
    if isinstance(repeats, Tensor) and repeats.shape == (1,):
        times = None
    if repeats is None:
        return tensor.of((unknown() if output_size is None else output_size,))
    if isinstance(repeats, Tensor) and repeats.rank not in (None, 0) and repeats.shape != (1,):
        along = flatten(tensor) if dim is None else tensor
        place = 0 if dim is None else axis_index(along.shape, literal(dim), name(input, "input"))
        if along.shape:
            expect_shape(repeats, "repeats", along.shape[place : place + 1])
    if dim is None:
        total = flatten(tensor).shape[0]
        return tensor.of((total * times if times is not None else unknown(),))
    try:
        place = axis_index(tensor.shape, literal(dim), name(input, "input"))
    except Undecided:
        return tensor.of(tuple(e if isinstance(e, Pack) else unknown() for e in tensor.shape))
    if not tensor.shape:
        return tensor.of((times if times is not None else unknown(),))
    size = (
        tensor.shape[place] * times
        if times is not None
        else output_size
        if is_size(output_size)
        else unknown()
    )
    return tensor.of(replaced(tensor.shape, place, size))
