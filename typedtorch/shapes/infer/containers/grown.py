"""Lists that begin with tensors unlike those that a loop adds: ``xs = [x]``, and then ``xs.append(f(x))``.

One tensor cannot stand for all of them where they differ in rank, and ``torch.cat(xs)`` of the two kinds
fails, or has the sizes of both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from typedtorch.shapes.size import Size
from typedtorch.shapes.tensor import Tensor

if TYPE_CHECKING:
    from typedtorch.shapes.infer.values.values import Sequence

MOST_ITEMS = 16


class Grown(NamedTuple):
    """What a list begins with, and what each item behind that is, where there are any."""

    first: tuple[Tensor, ...]
    later: Tensor

    def changed(self, change: Callable[[Any], Any]) -> Grown | None:
        """With something else for each tensor; itself where all stay."""
        first, later = tuple([change(tensor) for tensor in self.first]), change(self.later)
        if later is self.later and first == self.first:
            return self
        return grown(first, later)

    def samples(self, length: Size | None) -> tuple[tuple[Tensor, ...], ...]:
        """Such lists with a few later items: of three lengths where it is a size that is known."""
        counts = [0, 1] if length is None else [0, 1, 2]
        if isinstance(length, int) and len(self.first) <= length <= MOST_ITEMS:
            counts = [length - len(self.first)]
        return tuple([(*self.first, *[self.later] * count) for count in counts])

    def items(self, index: slice) -> tuple[Tensor, ...]:
        """Of a slice that leaves out some of the first items, what those are that are left."""
        start = index.start if (index.stop, index.step) == (None, None) else None
        known = type(start) is int and 0 < start <= len(self.first)
        return (*self.first[start:], self.later) if known else ()


def of_joined(a: Sequence, b: Sequence, join: Callable[[Any, Any], Any]) -> Grown | None:
    """What is known of the items of one of two lists in this way."""
    if a.kind != "list":
        return None
    (mine, mine_later), (others, others_later) = begun(a), begun(b)
    if not all(isinstance(item, Tensor) for item in (*mine, *mine_later, *others, *others_later)):
        return None
    count, most = 0, min(len(mine), len(others))
    while count < most and mine[count] == others[count]:
        count += 1
    rest = [*mine[count:], *mine_later, *others[count:], *others_later]
    if not rest or not count:
        return None
    later = rest[0]
    for another in rest[1:]:
        later = join(later, another)
    return grown(mine[:count], later)


def grown(first: tuple[Any, ...], later: Any) -> Grown | None:
    """Nothing of a list that holds other things than tensors."""
    known = first and isinstance(later, Tensor) and all(isinstance(tensor, Tensor) for tensor in first)
    return Grown(first, later) if known else None


def begun(xs: Sequence) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The first items of a list, and what stands for each of the others, where there are others."""
    if xs.items is not None:
        return (xs.items, ()) if len(xs.items) <= MOST_ITEMS else ((), ())
    return (few(xs) or (), ()) if xs.grown is None else (xs.grown.first, (xs.grown.later,))


def few(xs: Sequence) -> tuple[Any, ...] | None:
    """The items of a short list, of which one tensor may stand for all; None where it is not known as one."""
    length = xs.length
    if xs.items is not None or xs.kind != "list" or xs.grown is not None:
        return xs.items
    if not isinstance(xs.element, Tensor) or not isinstance(length, int) or not 0 <= length <= MOST_ITEMS:
        return None
    return tuple([replace(xs.element) for _ in range(length)])  # each may be changed in place


__all__ = ["Grown", "begun", "few", "grown", "of_joined"]
