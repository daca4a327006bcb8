"""Operators that cut a tensor into pieces."""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

import itertools
from math import comb
from typing import Any

from typedtorch.shapes.equality import same
from typedtorch.shapes.rule import name, rule
from typedtorch.shapes.rules.forms import both, is_size, literal, methods, need
from typedtorch.shapes.rules.slices import slice_size
from typedtorch.shapes.size import Size, unknown
from typedtorch.shapes.tensor import (
    ANY_AXES,
    ShapeError,
    Tensor,
    Undecided,
    axis_index,
    entry_size,
    replaced,
    show,
    without,
)


def cut_axis(tensor: Tensor, dim: Any, who: str) -> tuple[int, Size]:
    """The place and the size of the axis that is cut.

    Raises:
        ShapeError: the tensor does not have it.
    """
    if not tensor.shape:
        raise ShapeError(f"{who} has no axes to split")
    place = axis_index(tensor.shape, literal(dim), who)
    return place, entry_size(tensor.shape[place])


def pieces(tensor: Tensor, place: int, sizes: list[Size]) -> tuple[Tensor, ...]:
    """The tensor cut along one axis into parts of these sizes."""
    return tuple(tensor.of(replaced(tensor.shape, place, s)) for s in sizes)


_SPLIT = (
    "f:a 2*b, size:b, 1 | f:a 6, 2, -1 | f:a 7, 3, -1 | f:a b+c, [size:b, size:c], 1 | "
    "f:a b, 1 | f:A b, 3, dim=0 | f:a b+2, (size:b, 2), -1"
)


@rule("torch.split", "torch.Tensor.split", sample=_SPLIT)
def split(tensor: Any, split_size_or_sections: Any, dim: Any = 0) -> tuple[Tensor, ...]:
    given, who = need(tensor), name(tensor, "tensor")
    place, size = cut_axis(given, dim, who)
    if isinstance(split_size_or_sections, (list, tuple)):
        parts = [s if is_size(s) else unknown() for s in split_size_or_sections]
        total: Size = 0
        for part in parts:
            total = total + part
        if same(total, size) is False:
            raise ShapeError(f"the parts add up to {total} and axis {dim} of {who} is {size}")
        return pieces(given, place, parts)
    if not is_size(split_size_or_sections):
        raise Undecided
    return pieces(given, place, _equal_parts(size, split_size_or_sections))


def _equal_parts(size: Size, part: Size) -> list[Size]:
    """Parts of one size, the last one smaller."""
    if isinstance(size, int) and isinstance(part, int) and part > 0:
        return [min(part, size - start) for start in range(0, size, part)] or [0]
    count = (size - 1) // part
    if isinstance(count, int) and size - 1 == count * part:
        return [*[part] * count, 1]
    count = size // part
    if not isinstance(count, int):
        raise Undecided
    return [part] * count


@rule(*methods("split_with_sizes"), "torch.split_with_sizes", sample="f:a b+c, [size:b, size:c], 1")
def split_with_sizes(self: Any, split_sizes: Any, dim: Any = 0) -> tuple[Tensor, ...]:
    return split(self, split_sizes, dim)


@rule(
    *both("chunk"),
    sample="f:a 3*b, 3, -1 | f:a b, 2, 1 | f:a b+4, 3, 1"
    " | f:7 a, 3 | f:5 a, 4, 0 | f:4*a b, 2, dim=0 | f:0 a, 3",
)
def chunk(input: Any, chunks: Any, dim: Any = 0) -> tuple[Tensor, ...]:
    given, who = need(input), name(input, "input")
    count = literal(chunks)
    if count < 1:
        raise ShapeError(f"chunk takes at least 1 piece, got {count}")
    try:
        place, size = cut_axis(given, dim, who)
    except Undecided:
        return tuple(given.of((ANY_AXES,)) for _ in range(count))
    if isinstance(size, int):
        return pieces(given, place, _equal_parts(size, -(-size // count)) if size else [0] * count)
    step = (size + count - 1) // count
    if step * count == size:
        return pieces(given, place, [step] * count)
    # torch gives fewer pieces where the size is small; a named axis is taken to be large enough
    return pieces(given, place, [*[step] * (count - 1), size - (count - 1) * step])


@rule(*both("tensor_split"), sample="f:a 3*b, 3, -1 | f:7 a, 3 | f:A b, (1, 3)")
def tensor_split(input: Any, indices_or_sections: Any, dim: Any = 0) -> tuple[Tensor, ...]:
    given, who = need(input), name(input, "input")
    place, size = cut_axis(given, dim, who)
    return pieces(given, place, section_sizes(size, indices_or_sections))


def section_sizes(size: Size, sections: Any) -> list[Size]:
    """The parts of an axis cut at indices, or into a number of parts that are as even as can be."""
    if isinstance(sections, (list, tuple)):
        bounds = [None, *sections, None]
        return [slice_size(size, slice(a, b)) for a, b in itertools.pairwise(bounds)]
    count = literal(sections)
    if isinstance(size, int):
        return [size // count + (i < size % count) for i in range(count)]
    return [(size + count - 1 - i) // count for i in range(count)]


@rule(*both("hsplit"), sample="f:a 2*b, 2 | f:2*a, 2 | f:a 2*b c, 2")
def hsplit(input: Any, indices_or_sections: Any) -> tuple[Tensor, ...]:
    return _split_evenly(input, indices_or_sections, 0 if len(need(input).sizes()) == 1 else 1, 1)


@rule(*both("vsplit"), sample="f:2*a b, 2")
def vsplit(input: Any, indices_or_sections: Any) -> tuple[Tensor, ...]:
    return _split_evenly(input, indices_or_sections, 0, 2)


@rule(*both("dsplit"), sample="f:a b 2*c, 2")
def dsplit(input: Any, indices_or_sections: Any) -> tuple[Tensor, ...]:
    return _split_evenly(input, indices_or_sections, 2, 3)


def _split_evenly(input: Any, sections: Any, dim: int, rank: int) -> tuple[Tensor, ...]:
    given, who = need(input), name(input, "input")
    if len(given.sizes()) < rank:
        raise ShapeError(f"{who} has shape {show(given.shape)}, wanted at least {rank} axes")
    size = given.sizes()[dim]
    if isinstance(sections, int) and isinstance(size, int) and (sections < 1 or size % sections):
        raise ShapeError(f"axis {dim} of {who} is {size}, which {sections} does not divide")
    return tensor_split(given, sections, dim)


@rule(*both("unbind"), sample="f:3 a b | f:a 2, -1 | f:a 2 b, dim=1")
def unbind(input: Any, dim: Any = 0) -> tuple[Tensor, ...]:
    given, who = need(input), name(input, "input")
    place, size = cut_axis(given, dim, who)
    return tuple(given.of(without(given.shape, place)) for _ in range(literal(size)))


@rule("torch.combinations", sample="f:4 | f:5, 3 | f:3, 2, True | f:3, 0")
def combinations(input: Any, r: Any = 2, with_replacement: Any = False) -> Tensor:
    if need(input).rank not in (None, 1):
        raise ShapeError(f"{name(input, 'input')} has shape {show(input.shape)}, wanted one axis")
    n, k = input.sizes()[0], literal(r)
    if k < 0:
        raise ShapeError(f"r={k}, wanted at least 0")
    if k == 0:
        return input.of((0,))
    count: Size = comb(n + k - 1 if with_replacement else n, k) if isinstance(n, int) else unknown()
    return input.of((count, k))
