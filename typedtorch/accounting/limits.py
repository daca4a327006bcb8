"""Where a formula holds: a program may run other operators at a size of 1, and rounds sizes that it halves.

Labels are large and divide as the sizes do, so that neither is seen there: the program is run at sizes of 1
and, where it divides sizes, at sizes that do not divide, and what a formula misses there it says.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable

from typedtorch.accounting import figures as fg
from typedtorch.accounting.errors import AccountingError
from typedtorch.accounting.formula import Limits
from typedtorch.accounting.question import Question
from typedtorch.accounting.trace import Trace
from typedtorch.shapes.size import Poly, Size, atoms, evaluate

Point = tuple[tuple[str, int], ...]
_EVEN = 64
_DIVISORS = (2, 3, 4, 6, 8, 12, 16, 32, 64)


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
        self._traces: dict[Point, Trace | None] = {}
        self._figures: dict[tuple[Point, bool], dict[str, Size]] = {}

    def limits(self, name: str, size: Size, divided: frozenset[str], *, padded: bool = False) -> Limits:
        """What the formula of a figure does not cover.

        Where it is ``padded``, what several axes miss only together is the padding, which a note tells: whole
        pages hide at small sizes what is missed at large ones, and no axis is rounded.
        """
        if "peak" in name:  # of one moment, wherever it lies elsewhere
            return Limits()

        def wrong(point: Point) -> bool:
            return self._is_wrong(name, size, point)

        ones = self._culprits(self.axes, lambda n: 1, wrong)
        others = tuple(n for n in self.axes if n in divided)
        beyond = [{n: self._beyond(n, 1)[k] for n in others} for k in range(3)]
        found = [self._culprits(others, there.__getitem__, wrong) for there in beyond]
        if padded:
            found = [
                tuple(n for n in names if wrong(((n, there[n]),)))
                for names, there in zip(found, beyond, strict=True)
            ]
        multiples = {n: self._multiple(n, wrong) for names in found for n in names}
        return Limits(tuple(n for n in ones if n not in multiples), multiples)

    def is_special(self, name: str, size: Size, ones: Iterable[str]) -> bool:
        """Whether the formula of a figure is wrong where these axes are 1, all others as they are."""
        point = tuple((n, 1) for n in self.axes if n in set(ones))
        return bool(point) and "peak" not in name and self._is_wrong(name, size, point)

    def _is_wrong(self, name: str, size: Size, point: Point) -> bool:
        there = self._read(point, name)
        return there is not None and evaluate(size, {**self._base, **dict(point)}) != there

    def _beyond(self, name: str, step: int) -> tuple[int, int, int]:
        """Larger sizes: by a step, and those a step above and below a size that can be halved six times."""
        size = self._base[name]
        return size + step, size + (step - size) % _EVEN, size + (-step - size) % _EVEN

    def _multiple(self, name: str, wrong: Callable[[Point], bool]) -> int:
        """The least part of the size that it can grow by."""
        size = self._base[name]
        for step in (n for n in _DIVISORS if size % n == 0):
            points: list[Point] = [((name, there),) for there in self._beyond(name, step)]
            if all(self._runs(point) and not wrong(point) for point in points):
                return step
        return size

    def _culprits(
        self, axes: tuple[str, ...], other: Callable[[str], int], wrong: Callable[[Point], bool]
    ) -> tuple[str, ...]:
        """Axes at whose other size the formula is wrong: all at once first, then those of the inputs."""
        inputs = tuple(n for n in axes if n not in self.question.target.arguments)
        for chosen in dict.fromkeys((axes, inputs)):
            point = tuple((n, other(n)) for n in chosen)
            if not point or not self._runs(point):
                continue
            if not wrong(point):
                return ()
            alone = tuple(n for n in chosen if wrong(((n, other(n)),)))
            rest = [n for n in chosen if n not in alone and self._base[n] != other(n)]
            return alone + self._together(rest, other, wrong)
        return tuple(n for n in inputs if wrong(((n, other(n)),)))

    def _together(
        self, axes: list[str], other: Callable[[str], int], wrong: Callable[[Point], bool]
    ) -> tuple[str, ...]:
        """Axes of which none does harm alone, and as few as do together."""

        def are_wrong(names: list[str]) -> bool:
            return bool(names) and wrong(tuple((n, other(n)) for n in names))

        if not are_wrong(axes):
            return ()
        for name in list(axes):
            fewer = [n for n in axes if n != name]
            axes = fewer if are_wrong(fewer) else axes
        return tuple(axes)

    @functools.cached_property
    def _base(self) -> dict[str, int]:
        return {n: int(s) for n, s in self.question.base.items() if isinstance(s, int)}

    def _runs(self, point: Point) -> bool:
        return self._at(point) is not None

    def _at(self, point: Point) -> Trace | None:
        """The trace at a point; None where the program does not run."""
        if point not in self._traces:
            self._traces[point] = None
            sizes = {**self.question.base, **dict(point)}
            with contextlib.suppress(AccountingError):
                self._traces[point] = self.question.recorded(
                    sizes, self.question.limit, self.question.most_weights
                )
        return self._traces[point]

    def _read(self, point: Point, name: str) -> Size | None:
        trace = self._at(point)
        if trace is None:
            return None
        key = point, "[" in name
        if key not in self._figures:
            self._figures[key] = fg.parts(trace) if "[" in name else fg.figures(trace, None)
        return self._figures[key].get(name, 0)
