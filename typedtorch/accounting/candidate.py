"""One way to the formulas of all figures, and the figures of a trace that holds polynomials."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from typedtorch.accounting import figures as fg
from typedtorch.accounting import timeline as tl
from typedtorch.accounting.formula import cancelled
from typedtorch.accounting.trace import Trace
from typedtorch.shapes.size import Size, evaluate

Figures = dict[str, Size]


@dataclass(frozen=True)
class Candidate:
    """Formulas of all figures with some axes at their size."""

    figures: Callable[[], Figures]
    parts: Callable[[], Figures]
    pinned: Mapping[str, int]
    why: str = ""
    rounded: tuple[str, ...] = ()  # axes whose quotients are rounded
    divided: frozenset[str] = frozenset()  # axes that sizes are parts of
    padded: bool = False  # whether a library's workspace is among the bytes
    anchor: Mapping[str, int] | None = None  # sizes it was read at

    def size(self, name: str) -> Size | None:
        """The formula of a figure, if this way found one."""
        found = (self.parts if "[" in name else self.figures)()
        return cancelled(found[name], self.rounded) if name in found else None


def moments(trace: Trace, sizes: Mapping[str, int]) -> tuple[int, int]:
    """The operators at the peak of all steps and of the first one, at these sizes."""
    known: dict[Size, int] = {}

    def at(size: Size) -> int:
        if size not in known:
            known[size] = evaluate(size, sizes)
        return known[size]

    plain = replace(trace, storages=[replace(s, nbytes=at(s.nbytes)) for s in trace.storages])
    first_end = trace.marks.get((0, "optimizer"), len(trace.ops))
    return tl.peak(plain).at, tl.peak(plain, 0, first_end).at


def figures_of(trace: Trace, sizes: Mapping[str, int] | None) -> Figures:
    """Every figure of a trace; the peaks only at given sizes."""
    if sizes is None:
        return fg.figures(trace, None)
    return fg.figures(trace, *moments(trace, sizes))
