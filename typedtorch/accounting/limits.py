"""The program at further sizes, where a formula may be wrong, each run once for all figures."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterable, Mapping

from typedtorch.accounting import figures as fg
from typedtorch.accounting.errors import AccountingError
from typedtorch.accounting.question import Question
from typedtorch.accounting.trace import Trace
from typedtorch.shapes.size import Poly, Size, atoms

Point = tuple[tuple[str, int], ...]
_FEW = 8  # sizes asked about that the program is simply run at


def divided(trace: Trace) -> frozenset[str]:
    """Axes of which some size of the trace is a half, a third, ...; parts by other axes are the program's."""
    sizes = {n for op in trace.ops for meta in op.outs for n in meta.shape if isinstance(n, Poly)}
    floors = (a for size in sizes for a in atoms(size) if a.kind == "floor")
    above = (a.operands[0] for a in floors if isinstance(a.operands[1], int))
    return frozenset(a.name for size in above for a in atoms(size) if a.kind != "floor")


class Probe:
    """The program at further sizes, those that ``pinned`` names at their own."""

    def __init__(self, question: Question, pinned: Iterable[str]) -> None:
        self.question = question
        self.axes = tuple(n for n in question.free if n not in pinned)
        self.inputs = tuple(n for n in self.axes if n not in question.target.arguments)
        self._traces: dict[Point, Trace | None] = {}
        self._figures: dict[tuple[Point, bool], dict[str, Size]] = {}
        self._asked: set[Point] = set()

    @functools.cached_property
    def base(self) -> dict[str, int]:
        """The sizes of the account, or those that stand for them."""
        return {n: int(s) for n, s in self.question.base.items() if isinstance(s, int)}

    def read(self, sizes: Mapping[str, int], name: str) -> Size | None:
        """A figure at sizes of the axes; None where the program does not run."""
        point = self._point(sizes)
        trace = self._at(point)
        if trace is None:
            return None
        key = point, "[" in name
        if key not in self._figures:
            self._figures[key] = fg.parts(trace) if "[" in name else fg.figures(trace, None)
        return self._figures[key].get(name, 0)

    def runs(self, sizes: Mapping[str, int]) -> bool:
        """Whether the program runs at sizes of the axes."""
        return self._at(self._point(sizes)) is not None

    def affords(self, sizes: Mapping[str, int]) -> bool:
        """Whether to run the program at sizes that are asked about: at the first few of them.

        From which size to which a formula holds takes some dozens of runs, and answers for any sizes then.
        """
        point = self._point(sizes)
        if not point or point in self._traces:
            return True
        if len(self._asked) < _FEW:
            self._asked.add(point)
        return point in self._asked

    def _point(self, sizes: Mapping[str, int]) -> Point:
        return tuple((n, sizes[n]) for n in self.axes if sizes.get(n, self.base[n]) != self.base[n])

    def _at(self, point: Point) -> Trace | None:
        if not point and self.question.reference is not None:
            return self.question.reference
        if point not in self._traces:
            self._traces[point] = None
            sizes = {**self.question.base, **dict(point)}
            with contextlib.suppress(AccountingError):
                self._traces[point] = self.question.recorded(
                    sizes, 2 * self.question.limit, 2 * self.question.most_weights
                )
        return self._traces[point]
