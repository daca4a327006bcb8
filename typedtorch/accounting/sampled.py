"""Formulas in axes that count: the polynomials through the figures at several of their sizes."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping

from typedtorch.accounting import figures as fg
from typedtorch.accounting.candidate import Candidate, Figures, figures_of
from typedtorch.accounting.engines import Question, pinned_at
from typedtorch.accounting.errors import AccountingError
from typedtorch.accounting.interpolate import degree, through
from typedtorch.accounting.labels import smooth_part
from typedtorch.accounting.trace import Trace
from typedtorch.shapes.size import Atom, Size, substitute

Point = tuple[int, ...]
Steps = dict[str, list[int]]
_MOST_SAMPLES, _FEWEST_SAMPLES = 7, 4


class Samples:
    """Traces at several sizes of ``axes``; ``sizes`` are those given, ``known`` whether that is all."""

    def __init__(
        self, question: Question, axes: tuple[str, ...], sizes: Mapping[str, int], *, known: bool
    ) -> None:
        self.question, self.axes, self.sizes, self.known = question, axes, sizes, known
        self._traces: dict[Point, Trace] = {}

    def candidates(self, pinned: Mapping[str, int], *, near: bool = False) -> Iterator[Candidate]:
        """Formulas from one set of sizes after the other, where the program runs at them.

        ``near`` asks for sizes from those given upwards alone.
        """
        for steps in self._ladders((1,) if near else range(3)):
            for count in (_FEWEST_SAMPLES, _MOST_SAMPLES):
                wanted = {name: values[:count] for name, values in steps.items()}
                try:
                    found = self._candidate(wanted, pinned)
                except AccountingError:
                    break
                if found is not None:
                    yield found
                    break

    def _ladders(self, kinds: Iterable[int]) -> Iterator[Steps]:
        """Sizes to take of each axis: small ones, then near its own, then as divisible as its own."""
        for kind in kinds:
            steps = {name: _ladder(self.sizes.get(name), kind) for name in self.axes}
            if all(steps.values()):
                yield {name: found for name, found in steps.items() if found is not None}

    def _candidate(self, wanted: Steps, pinned: Mapping[str, int]) -> Candidate | None:
        """The polynomials through lines along each axis, and through a grid as fine as their degrees ask."""

        @functools.cache
        def figures(point: Point) -> Figures:
            at = {**self.sizes, **dict(zip(self.axes, point, strict=True))}
            return figures_of(self._at(point, pinned), at if self.known else None)

        @functools.cache
        def parts(point: Point) -> Figures:
            return fg.parts(self._at(point, pinned))

        degrees = _degrees(wanted, figures)
        if not degrees:
            return None
        most = tuple(map(max, zip(*degrees.values(), strict=True)))
        found = _through(wanted, most, figures)
        if not found:
            return None
        return Candidate(lambda: found, functools.cache(lambda: _through(wanted, most, parts)), pinned)

    def _at(self, point: Point, pinned: Mapping[str, int]) -> Trace:
        if point not in self._traces:
            question = self.question.at(dict(zip(self.axes, point, strict=True)))
            fixed = (*pinned, *self.axes)
            found = pinned_at(question, fixed, compare=False, verify=not self._traces)
            self._traces[point] = found.trace
        return self._traces[point]


Read = Callable[[Point], Figures]


def _lines(wanted: Steps) -> list[list[Point]]:
    """For each axis the points that differ in it alone, the others at their first size."""
    first = tuple(values[0] for values in wanted.values())
    return [
        [(*first[:i], value, *first[i + 1 :]) for value in values] for i, values in enumerate(wanted.values())
    ]


def _degrees(wanted: Steps, read: Read) -> dict[str, tuple[int, ...]]:
    """The degree in each axis of every figure that is a polynomial along all of them."""
    lines = _lines(wanted)
    names = set.intersection(*(set(read(point)) for line in lines for point in line))
    found: dict[str, tuple[int, ...]] = {}
    for name in names:
        along = [
            degree(values, [read(point)[name] for point in line])
            for values, line in zip(wanted.values(), lines, strict=True)
        ]
        if None not in along:
            found[name] = tuple(d for d in along if d is not None)
    return found


def _through(wanted: Steps, most: tuple[int, ...], read: Read) -> Figures:
    """Polynomials of at most these degrees, right on all lines and at the point beyond the grid too."""
    steps = {name: values[: d + 1] for (name, values), d in zip(wanted.items(), most, strict=True)}
    beyond = tuple(values[d + 1] for values, d in zip(wanted.values(), most, strict=True))
    checks = [*itertools.chain(*_lines(wanted)), beyond]
    grid = list(itertools.product(*steps.values()))
    found: Figures = {}
    for name, degrees in _degrees(wanted, read).items():
        if any(d > m for d, m in zip(degrees, most, strict=True)):
            continue
        if not all(name in read(point) for point in (*grid, *checks)):
            continue
        size = _fit({point: read(point)[name] for point in grid}, steps)
        if all(_same(size, wanted, point, read(point)[name]) for point in checks):
            found[name] = size
    return found


def _same(size: Size, wanted: Steps, point: Point, value: Size) -> bool:
    """Whether the formula is this at a point."""
    at: dict[Atom, Size] = {Atom("axis", name): n for name, n in zip(wanted, point, strict=True)}
    return substitute(size, at) == value


def _fit(values: Mapping[Point, Size], steps: Steps) -> Size:
    """The polynomial through a grid, one axis after the other."""
    current = dict(values)
    for name in reversed(steps):
        current = {
            head: through(name, steps[name], [current[*head, n] for n in steps[name]])
            for head in {point[:-1] for point in current}
        }
    return current[()]


def _ladder(size: int | None, kind: int) -> list[int] | None:
    if kind == 0:
        return list(range(3, 3 + _MOST_SAMPLES))
    if size is None:
        return [4 * k for k in range(1, 1 + _MOST_SAMPLES)] if kind == 1 else None
    step = 1 if kind == 1 else smooth_part(size)
    first = size + step if size == 1 else size  # a single one may be special
    return [first + step * k for k in range(_MOST_SAMPLES)] if kind == 1 or step > 1 else None
