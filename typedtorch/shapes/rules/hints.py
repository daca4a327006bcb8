"""What would make an operand fit, where it is certain that it would."""

from __future__ import annotations

from typing import Any

from typedtorch.shapes.rule import name
from typedtorch.shapes.rules.axis_patterns import tail
from typedtorch.shapes.rules.written import called
from typedtorch.shapes.size import product
from typedtorch.shapes.tensor import Tensor, entry_size, pack_index, show


def transposed(a: Tensor, b: Tensor, first: str, second: str) -> str | None:
    """Name the operand of a product that fits when its last two axes are swapped."""
    left, right = tail(a.shape, 2), tail(b.shape, 2)
    the_first = left[0] is not None and len(b.shape) > 1 and left[0] == right[0]
    columns = the_first and left[1] == 1  # of which the inner product is meant, not every pair
    if left[1] is not None and left[1] == right[1] and right[0] is not None and not columns:
        return f"{second} is {show(b.shape)}: {called(first)} @ {turned(second, len(b.shape))} fits"
    if the_first:
        return f"{first} is {show(a.shape)}: {turned(first, len(a.shape))} @ {called(second)} fits"
    return None


def turned(operand: str, rank: int) -> str:
    """An operand with its last two axes swapped: without its ``.T`` if it has one.

    >>> turned("a + b", 2), turned("w.T", 2)
    ('(a + b).T', 'w')
    """
    for end in (".mT", ".T"):
        if operand.endswith(end) and called(operand) == operand:
            return operand.removesuffix(end)
    return f"{called(operand)}.{'T' if rank == 2 else 'mT'}"


def into_linear(input: Tensor, in_features: Any) -> str | None:
    """The axes that make ``in_features`` together, or the one axis that has this size and is not the last.

    >>> into_linear(Tensor((4, 32, 26, 26), label="x"), 21632)
    'x is (4, 32, 26, 26): x.flatten(1) fits'
    >>> into_linear(Tensor((4, 64, 26), label="x"), 64)
    'x is (4, 64, 26): x.mT fits'
    """
    shape, who = input.shape, called(name(input, "input"))
    if pack_index(shape) is not None:
        return None
    inner = range(1, len(shape) - 1)
    flat = [i for i in inner if product(entry_size(e) for e in shape[i:]) == in_features]
    moved = [i for i in inner if shape[i] == in_features]
    if len(flat) == 1:
        return f"{input.label or who} is {show(shape)}: {who}.flatten({flat[0]}) fits"
    if len(moved) == 1:
        fitting = turned(who, len(shape)) if moved[0] == len(shape) - 2 else f"{who}.movedim({moved[0]}, -1)"
        return f"{input.label or who} is {show(shape)}: {fitting} fits"
    return None
