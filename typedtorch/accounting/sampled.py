"""Formulas in axes that count: the polynomials through the figures at several of their sizes."""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping

from typedtorch.accounting import figures as fg
from typedtorch.accounting.candidate import Candidate, Figures, figures_of
from typedtorch.accounting.engines import Symbolic, pinned_at, read_again
from typedtorch.accounting.errors import AccountingError, UnreadableError
from typedtorch.accounting.interpolate import Along, along, may_repeat, through
from typedtorch.accounting.labels import smooth_part
from typedtorch.accounting.limits import divided
from typedtorch.accounting.question import Question
from typedtorch.accounting.trace import Trace
from typedtorch.shapes.size import Atom, Size, substitute

Point = tuple[int, ...]
Steps = dict[str, list[int]]
_SMALLEST = 3  # sizes of 1 and 2 may be special
_MOST_SAMPLES, _MORE_SAMPLES, _FEWEST_SAMPLES = 13, 7, 4


class Samples:
    """Traces at several sizes of ``axes``; ``sizes`` are those given, ``known`` whether that is all."""

    def __init__(
        self, question: Question, axes: tuple[str, ...], sizes: Mapping[str, int], *, known: bool
    ) -> None:
        self.question, self.axes, self.sizes, self.known = question, axes, sizes, known
        self._traces: dict[Point, Trace] = {}
        self._figures: dict[Point, Figures] = {}
        self._first: Symbolic | None = None
        self._recalled = True  # whether the first one had all the sizes of the others so far
        self.unreadable = False  # whether the other axes are no letters, whatever the sizes of these

    def candidates(self, pinned: Mapping[str, int], *, near: bool = False) -> Iterator[Candidate]:
        """Formulas from one set of sizes after the other, where the program runs at them.

        ``near`` asks for sizes from those given upwards alone.
        """
        for steps in self._ladders((1,) if near else range(3)):
            for count in (_FEWEST_SAMPLES, _MORE_SAMPLES, _MOST_SAMPLES):
                wanted = {name: values[:count] for name, values in steps.items()}
                try:
                    if count == _MOST_SAMPLES and not self._may_repeat(steps, pinned):
                        break
                    found = self._candidate(wanted, pinned, near=near)
                except UnreadableError:
                    self.unreadable = not self._figures
                    break
                except AccountingError:
                    break
                if found is not None:
                    yield found
            if self.unreadable:
                return

    def _may_repeat(self, steps: Steps, pinned: Mapping[str, int]) -> bool:
        """Whether some figure may be seen to have a period where more sizes are tried."""
        if len(steps) > 1:
            return False
        (sizes,) = steps.values()
        if sizes[1] != sizes[0] + 1:
            return False
        line = [self._read((size,), pinned) for size in sizes[:_MORE_SAMPLES]]
        every = set.intersection(*map(set, line))
        return any(may_repeat([each[name] for each in line]) for name in every)

    def _ladders(self, kinds: Iterable[int]) -> Iterator[Steps]:
        """Sizes to take of each axis: small ones, then near its own, then as divisible as its own."""
        for kind in kinds:
            steps = {name: _ladder(self.sizes.get(name), kind) for name in self.axes}
            if all(steps.values()):
                yield {name: found for name, found in steps.items() if found is not None}

    def _candidate(self, wanted: Steps, pinned: Mapping[str, int], *, near: bool) -> Candidate | None:
        """The polynomials through lines along each axis, and through a grid as fine as their degrees ask."""

        def figures(point: Point) -> Figures:
            return self._read(point, pinned)

        @functools.cache
        def parts(point: Point) -> Figures:
            return fg.parts(self._at(point, pinned))

        courses = _courses(wanted, figures)
        if not courses:
            return None
        most = tuple(max(a.points for a in each) for each in zip(*courses.values(), strict=True))
        found = _through(wanted, most, figures)
        for point in _elsewhere(wanted, near=near):
            found = self._right_at(point, found, figures)
        if not found:
            return None
        return Candidate(
            lambda: found, functools.cache(lambda: _through(wanted, most, parts)), pinned, rounded=self.axes,
            divided=frozenset().union(*map(divided, self._traces.values())), anchor=self._anchor(wanted),
        )  # fmt: skip

    def _anchor(self, wanted: Steps) -> Mapping[str, int]:
        """Sizes of a run the formulas were read from."""
        others = self._first.read_at if self._first is not None else {}
        return {**others, **{name: values[0] for name, values in wanted.items()}}

    def _read(self, point: Point, pinned: Mapping[str, int]) -> Figures:
        """Every figure at a point."""
        if point not in self._figures:
            at = {**self.sizes, **dict(zip(self.axes, point, strict=True))}
            self._figures[point] = figures_of(self._at(point, pinned), at if self.known else None)
        return self._figures[point]

    def _right_at(self, point: Point, found: Figures, read: Read) -> Figures:
        """The formulas that hold at one point more, if the program runs there."""
        try:
            there = read(point)
        except AccountingError:
            return found
        return {
            name: size
            for name, size in found.items()
            if name in there and _at(size, self.axes, point) == there[name]
        }

    def _at(self, point: Point, pinned: Mapping[str, int]) -> Trace:
        if point not in self._traces:
            question = self.question.at(dict(zip(self.axes, point, strict=True)))
            self._traces[point] = self._symbolic(question, (*pinned, *self.axes)).trace
        return self._traces[point]

    def _symbolic(self, question: Question, fixed: tuple[str, ...]) -> Symbolic:
        """Read off one run more where the first one had all its sizes; else off as many as that one."""
        if self._first is not None and self._first.decoder is not None and self._recalled:
            with contextlib.suppress(AccountingError):
                return read_again(question, self._first)
            self._recalled = False
        found = pinned_at(question, fixed, compare=False, verify=self._first is None)
        self._first = self._first or found
        return found


Read = Callable[[Point], Figures]


def _axis_lines(wanted: Steps) -> list[list[Point]]:
    """For each axis the points that differ in it alone, the others at their first size."""
    first = tuple(values[0] for values in wanted.values())
    return [
        [(*first[:i], value, *first[i + 1 :]) for value in values] for i, values in enumerate(wanted.values())
    ]


def _elsewhere(wanted: Steps, *, near: bool) -> Iterator[Point]:
    """For each axis a point that must be right as well: between two sizes, or far beyond its own."""
    first = tuple(values[0] for values in wanted.values())
    for i, values in enumerate(wanted.values()):
        if values[1] > values[0] + 1:
            yield (*first[:i], values[0] + 1, *first[i + 1 :])
        elif values[0] > _SMALLEST and not near:
            yield (*first[:i], 2 * values[0], *first[i + 1 :])


def _courses(wanted: Steps, read: Read) -> dict[str, tuple[Along, ...]]:
    """How every figure goes along each axis, of those for which that is seen along all of them."""
    lines = _axis_lines(wanted)
    names = set.intersection(*(set(read(point)) for line in lines for point in line))
    found: dict[str, tuple[Along, ...]] = {}
    for name in names:
        each = [
            along(values, [read(point)[name] for point in line])
            for values, line in zip(wanted.values(), lines, strict=True)
        ]
        if None not in each:
            found[name] = tuple(a for a in each if a is not None)
    return found


def _through(wanted: Steps, most: tuple[int, ...], read: Read) -> Figures:
    """Formulas settled by at most so many sizes, right on all lines and at the point beyond the grid too."""
    beyond = tuple(values[min(m, len(values) - 1)] for values, m in zip(wanted.values(), most, strict=True))
    checks = [*itertools.chain(*_axis_lines(wanted)), beyond]
    found: Figures = {}
    for name, courses in _courses(wanted, read).items():
        if any(a.points > m for a, m in zip(courses, most, strict=True)):
            continue
        steps = {n: values[: a.points] for (n, values), a in zip(wanted.items(), courses, strict=True)}
        grid = list(itertools.product(*steps.values()))
        if not all(name in read(point) for point in (*grid, *checks)):
            continue
        size = _fit({point: read(point)[name] for point in grid}, steps, courses)
        if all(_at(size, wanted, point) == read(point)[name] for point in checks):
            found[name] = size
    return found


def _at(size: Size, axes: Iterable[str], point: Point) -> Size:
    """The formula at a point."""
    return substitute(size, {Atom("axis", name): n for name, n in zip(axes, point, strict=True)})


def _fit(values: Mapping[Point, Size], steps: Steps, courses: tuple[Along, ...]) -> Size:
    """The formula through a grid, one axis after the other."""
    current = dict(values)
    for name, course in reversed(list(zip(steps, courses, strict=True))):
        current = {
            head: through(name, steps[name], [current[*head, n] for n in steps[name]], course.period)
            for head in {point[:-1] for point in current}
        }
    return current[()]


def _ladder(size: int | None, kind: int) -> list[int] | None:
    if kind == 0:
        return list(range(_SMALLEST, _SMALLEST + _MOST_SAMPLES))
    if size is None:
        return [4 * k for k in range(1, 1 + _MOST_SAMPLES)] if kind == 1 else None
    step = 1 if kind == 1 else smooth_part(size)
    first = size + step if size == 1 else size  # a single one may be special
    return [first + step * k for k in range(_MOST_SAMPLES)] if kind == 1 or step > 1 else None
