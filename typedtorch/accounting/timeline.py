"""Memory over time: which storages are alive after each operator, the peak, and what it is made of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import get_args

from typedtorch.accounting.trace import Category, Storage, Trace
from typedtorch.shapes.size import Size

CATEGORIES: tuple[Category, ...] = get_args(Category)


@dataclass(frozen=True)
class Peak:
    """The moment most bytes are alive: after operator ``at``, made of ``parts`` by category."""

    at: int
    bytes: int
    parts: dict[Category, int]


def alive(storages: Iterable[Storage], at: int) -> list[Storage]:
    """Storages that exist right after operator ``at``."""
    return [s for s in storages if s.born <= at and (s.died is None or s.died >= at)]


def kept_state(storages: Iterable[Storage]) -> list[Storage]:
    """The optimizer's state at the end: some optimizers make it anew in every step."""
    return [s for s in storages if s.category == "optimizer" and s.died is None]


def total(storages: Iterable[Storage], *categories: Category) -> Size:
    """Bytes of storages, of some categories only where they are named."""
    result: Size = 0
    for storage in storages:
        if not categories or storage.category in categories:
            result = result + storage.nbytes
    return result


def number(size: Size) -> int:
    """A size that must be a number here.

    Raises:
        TypeError: it still holds names.
    """
    if not isinstance(size, int):
        raise TypeError(f"{size} is a formula; this needs numbers")
    return size


def series(trace: Trace, *categories: Category) -> list[int]:
    """Bytes alive after each operator.

    >>> series(Trace())
    []
    """
    change = [0] * (len(trace.ops) + 1)
    last = len(trace.ops)
    for storage in trace.storages:
        if categories and storage.category not in categories:
            continue
        ends = last if storage.died is None else storage.died + 1
        if ends > storage.born:
            change[min(max(storage.born, 0), last)] += number(storage.nbytes)
            change[min(ends, last)] -= number(storage.nbytes)
    levels, level = [], 0
    for difference in change[:-1]:
        level += difference
        levels.append(level)
    return levels


def peak(trace: Trace, start: int = 0, end: int | None = None) -> Peak:
    """The first moment of the highest level among operators ``start`` to ``end``."""
    levels = series(trace)
    window = range(start, len(levels) if end is None else end)
    at = max(window, key=lambda i: (levels[i], -i), default=-1)
    living = alive(trace.storages, max(at, 0))
    parts = {c: number(total(living, c)) for c in CATEGORIES}
    return Peak(at, sum(parts.values()), parts)


def saved(trace: Trace, step: int = 0) -> list[Storage]:
    """What the first forward of a step leaves behind for its backward."""
    end = trace.marks.get((step, "forward"))
    if end is None:
        return []
    start = trace.marks.get((step - 1, "optimizer"), 0)
    return [
        s for s in trace.storages
        if start <= s.born < end and (s.died is None or s.died >= end)
        and s.category in ("activation", "cast")
    ]  # fmt: skip
