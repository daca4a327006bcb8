"""Strides, so that a ``view`` which no memory layout allows is known to be impossible."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from typedtorch.shapes.differences import only_rounding
from typedtorch.shapes.equality import generic, same
from typedtorch.shapes.size import Poly, Size, divides
from typedtorch.shapes.tensor import Pack, Shape, ShapeError, Tensor, show

Strides = tuple[Size, ...]


def contiguous_strides(shape: Shape) -> Strides | None:
    """Row-major strides; None where the rank is not known.

    >>> contiguous_strides((2, 3, 4))
    (12, 4, 1)
    """
    strides: list[Size] = []
    step: Size = 1
    for entry in reversed(shape):
        if isinstance(entry, Pack):
            return None
        strides.insert(0, step)
        step = step * entry
    return tuple(strides)


def fresh(like: Tensor, shape: Shape, mask: int) -> Tensor:
    """A result in memory of its own, row-major."""
    return Tensor(tuple(shape), mask, layout=contiguous_strides(tuple(shape)), library=like.library)


def row_major(*tensors: Tensor) -> bool:
    """Whether all are known to lie in memory row by row."""
    return all(t.layout is not None and t.layout == contiguous_strides(t.shape) for t in tensors)


def leads(first: Tensor, made: Tensor) -> bool:
    """Whether an elementwise result lies in memory as the first operand does, whatever the others do.

    So it is where that one has the result's shape and fills its memory; torch looks at the others only
    where its strides do not say the order.
    """
    return first.library == "torch" and first.shape == made.shape and is_dense(first)


def is_dense(tensor: Tensor) -> bool:
    """Whether the strides are those of the rows of some order of the axes.

    >>> is_dense(Tensor((2, 3), layout=(1, 2))), is_dense(Tensor((2, 3), layout=(1, 4)))
    (True, False)
    """
    if tensor.layout is None or tensor.rank is None:
        return False
    step: Size = 1
    left = list(zip(tensor.layout, tensor.sizes(), strict=True))
    while left:
        found = [pair for pair in left if pair[0] == step]
        if len(found) != 1:  # two of one stride: an axis is of size 1, or there is nothing in it
            return False
        left.remove(found[0])
        step = step * found[0][1]
    return True


def permuted(strides: Strides | None, order: Sequence[int]) -> Strides | None:
    """Strides in another order of the axes."""
    return None if strides is None else tuple(strides[i] for i in order)


def view_strides(tensor: Tensor, shape: Shape, who: str) -> Strides | None:
    """The strides of a view.

    Raises:
        ShapeError: axes that are certainly not adjacent in memory are merged.
    """
    assert tensor.layout is not None
    if tensor.layout == contiguous_strides(tensor.shape) or 0 in tensor.shape:
        return contiguous_strides(shape)
    for group, merged in _merges(tensor.sizes(), shape):
        for i, j in itertools.pairwise(group):
            step, wanted = tensor.layout[i], tensor.layout[j] * tensor.sizes()[j]
            if step != wanted and (generic(step - wanted) or _multiple(step, wanted)):
                raise ShapeError(
                    f"{show(shape)} merges axes {i} and {j} of {who} into {merged}, "
                    "but they are not adjacent in memory after the transpose",
                    "contiguity",
                    "use reshape, or contiguous() before view",
                )
    return None


def _multiple(a: Size, b: Size) -> bool:
    """Whether one is the other times a name: they are one only where a window, say, is one wide."""
    larger, smaller = (a, b) if divides(b, a) else (b, a)
    if not divides(smaller, larger):
        return False
    factor = larger // smaller
    return isinstance(factor, Poly) and all(atom.kind in ("axis", "int") for atom in factor.atoms())


def _merges(old: Sequence[Size], new: Shape) -> list[tuple[list[int], Size]]:
    """Runs of old axes that become one new axis, where the correspondence is certain."""
    found: list[tuple[list[int], Size]] = []
    i = 0
    for entry in new:
        if isinstance(entry, Pack) or i >= len(old):
            break
        group, size = [i], old[i]
        while not _is_all_of(size, entry) and i + 1 < len(old):
            i += 1
            group.append(i)
            size = size * old[i]
        if not _is_all_of(size, entry):
            break
        group = [g for g in group if old[g] != 1]
        if len(group) > 1:
            found.append((group, entry))
        i += 1
    return found


def _is_all_of(size: Size, entry: Size) -> bool:
    """Whether sizes are one; ``n_head * (dim // n_head)`` is ``dim``, else there would be no such view."""
    difference = size - entry
    return same(size, entry) is True or (isinstance(difference, Poly) and only_rounding(difference))
