"""A figure as the most general formula that is exact at the account's sizes.

Tried in this order, figure by figure: one trace that holds every axis as a letter; the trace of larger
sizes, where the sizes themselves run otherwise (a size of 1); a polynomial read off several sizes of the
axes that change which operators run (a loop, a number of layers); a trace with these axes at their size,
which the formula then says.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from typedtorch.accounting import figures as fg
from typedtorch.accounting import timeline as tl
from typedtorch.accounting.attempts import pin_sets
from typedtorch.accounting.engines import Question, Symbolic, movable, pinned_at
from typedtorch.accounting.errors import AccountingError, SymbolError
from typedtorch.accounting.formula import Formula, cancelled
from typedtorch.accounting.interpolate import through
from typedtorch.accounting.labels import smooth_part
from typedtorch.accounting.trace import Trace
from typedtorch.shapes.size import Size, evaluate

Figures = dict[str, Size]
_MOST_SAMPLES, _FEWEST_SAMPLES = 7, 4


@dataclass(frozen=True)
class Candidate:
    """Formulas of all figures with some axes at their size."""

    figures: Callable[[], Figures]
    parts: Callable[[], Figures]
    pinned: Mapping[str, int]
    why: str = ""

    def size(self, name: str) -> Size | None:
        """The formula of a figure, if this way found one."""
        found = (self.parts if "[" in name else self.figures)()
        return cancelled(found[name]) if name in found else None


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


class Derivation:
    """The formulas of one question; ``numbers`` are its figures, None where sizes are missing."""

    def __init__(self, question: Question, numbers: Callable[[str], int] | None) -> None:
        self.question, self._numbers = question, numbers
        self._ways = self._candidates()
        self._tried: list[Candidate] = []
        self._reasons: list[str] = []
        self._found: dict[str, Formula] = {}
        self._traced = False

    def formula(self, name: str) -> Formula:
        """The formula of a figure.

        Raises:
            SymbolError: there is none, with the first reason.
        """
        if name not in self._found:
            self._found[name] = self._formula(name)
        return self._found[name]

    def _formula(self, name: str) -> Formula:
        best: tuple[Candidate, Size] | None = None
        for candidate in self._all():
            size = candidate.size(name)
            if size is None or not self._holds(name, size, candidate.pinned):
                continue
            if set(candidate.pinned) <= set(self._rigid):
                return Formula(name, size, dict(candidate.pinned))
            if best is None or len(candidate.pinned) < len(best[0].pinned):
                best = candidate, size
        if best is not None:
            kept = {n: s for n, s in best[0].pinned.items() if n not in self._rigid}
            return Formula(name, best[1], dict(best[0].pinned), f"only at {_at(kept)}: {best[0].why}")
        raise SymbolError(
            f"no formula for {name}: {self._reasons[0] if self._reasons else 'no axis is free'}"
        )

    def _all(self) -> Iterator[Candidate]:
        yield from self._tried
        for candidate in self._ways:
            self._tried.append(candidate)
            yield candidate

    def _holds(self, name: str, size: Size, pinned: Mapping[str, int]) -> bool:
        if self._numbers is None:
            return True
        return evaluate(size, {**self._plain, **pinned}) == self._numbers(name)

    @functools.cached_property
    def _plain(self) -> dict[str, int]:
        return {n: s for n, s in self.question.sizes.items() if isinstance(s, int)}

    @functools.cached_property
    def _rigid(self) -> dict[str, int]:
        """Axes a built module holds fast."""
        free = movable(self.question)
        return {n: self._plain[n] for n in self.question.free if n not in free and n in self._plain}

    def _candidates(self) -> Iterator[Candidate]:
        """The ways, the most general first; none with more axes at their size than were needed once."""
        known = self._numbers is not None
        for compare in (True, False) if known else (True,):
            yield from self._trace(tuple(self._rigid), compare=compare)
        # some trace holds every axis as a letter: where it is wrong, the size given is a special case
        self._traced = bool(self._tried)
        if not known and self._tried:
            return
        free = tuple(n for n in self.question.free if n not in self._rigid)
        enough: int | None = None
        for pinned in pin_sets(free, self.question.sizes):
            if enough is not None and len(pinned) > enough:
                break
            found = list(self._pinned(pinned))
            if found:
                enough = len(pinned) if enough is None else enough
                yield from found
        yield from self._numbers_alone()

    def _trace(self, pinned: tuple[str, ...], *, compare: bool) -> Iterator[Candidate]:
        try:
            symbolic = pinned_at(self.question, pinned, compare=compare)
        except AccountingError as error:
            self._reasons.append(str(error))
            return
        yield self._of(symbolic, self._reasons[0] if self._reasons else "")

    def _of(self, symbolic: Symbolic, why: str) -> Candidate:
        sizes = self._plain if self._numbers is not None else None
        trace = symbolic.trace
        return Candidate(
            functools.cache(lambda: figures_of(trace, sizes)),
            functools.cache(lambda: fg.parts(trace)),
            symbolic.pinned,
            why,
        )

    def _pinned(self, pinned: tuple[str, ...]) -> Iterator[Candidate]:
        """Polynomials through several sizes of the pinned axes, then the formulas at their own size."""
        held = [n for n in pinned if n in self._plain]
        here: list[Candidate] = []
        if len(held) == len(pinned):
            here = list(self._trace((*self._rigid, *pinned), compare=True))
            if not here:
                return
        samples = _Samples(self.question, pinned, self._plain, known=self._numbers is not None)
        for steps in () if self._traced else samples.ladders():
            candidate = samples.candidate(steps, self._rigid)
            if candidate is not None:
                yield candidate
        yield from here

    def _numbers_alone(self) -> Iterator[Candidate]:
        """The figures themselves, at these sizes only."""
        trace = self.question.numbers
        if trace is None:
            return
        yield Candidate(
            lambda: figures_of(trace, self._plain), lambda: fg.parts(trace), self._plain,
            self._reasons[0] if self._reasons else "no axis is free",
        )  # fmt: skip


class _Samples:
    """Traces at several sizes of some axes, and the polynomials through their figures."""

    def __init__(
        self, question: Question, axes: tuple[str, ...], sizes: Mapping[str, int], *, known: bool
    ) -> None:
        self.question, self.axes, self.sizes, self.known = question, axes, sizes, known

    def ladders(self) -> Iterator[dict[str, list[int]]]:
        """Sizes to take of each axis: small ones, then near its own, then as divisible as its own."""
        for kind in range(3):
            steps = {name: _ladder(self.sizes.get(name), kind) for name in self.axes}
            if all(steps.values()):
                yield {name: found for name, found in steps.items() if found is not None}

    def candidate(self, steps: dict[str, list[int]], rigid: Mapping[str, int]) -> Candidate | None:
        """Formulas through these sizes; None where the program does not run at them."""
        grid: dict[tuple[int, ...], Trace] = {}
        for count in (_FEWEST_SAMPLES, _MOST_SAMPLES):
            wanted = {name: values[:count] for name, values in steps.items()}
            try:
                for point in itertools.product(*wanted.values()):
                    if point not in grid:
                        grid[point] = self._at(dict(zip(wanted, point, strict=True)), tuple(rigid))
            except AccountingError:
                return None
            found = self._through(grid, wanted, functools.partial(self._figures, grid))
            if found:
                return self._through_all(grid, wanted, found, rigid)
        return None

    def _through_all(
        self,
        grid: dict[tuple[int, ...], Trace],
        wanted: dict[str, list[int]],
        found: Figures,
        rigid: Mapping[str, int],
    ) -> Candidate:
        @functools.cache
        def parts() -> Figures:
            return self._through(grid, wanted, lambda point: fg.parts(grid[point]))

        return Candidate(lambda: found, parts, rigid)

    def _at(self, point: dict[str, int], rigid: tuple[str, ...]) -> Trace:
        question = replace(self.question, sizes={**self.question.sizes, **point})
        return pinned_at(question, (*rigid, *self.axes), compare=False).trace

    def _figures(self, grid: dict[tuple[int, ...], Trace], point: tuple[int, ...]) -> Figures:
        at = {**self.sizes, **dict(zip(self.axes, point, strict=True))}
        return figures_of(grid[point], at if self.known else None)

    def _through(
        self,
        grid: dict[tuple[int, ...], Trace],
        wanted: dict[str, list[int]],
        read: Callable[[tuple[int, ...]], Figures],
    ) -> Figures:
        tables = {point: read(point) for point in itertools.product(*wanted.values())}
        names = set.intersection(*(set(table) for table in tables.values()))
        found = {name: _fit({p: t[name] for p, t in tables.items()}, wanted) for name in names}
        return {name: size for name, size in found.items() if size is not None}


def _fit(values: Mapping[tuple[int, ...], Size], wanted: dict[str, list[int]]) -> Size | None:
    """The polynomial through a grid, one axis after the other."""
    names = list(wanted)
    current = dict(values)
    for name in reversed(names):
        shorter: dict[tuple[int, ...], Size] = {}
        for head in {point[:-1] for point in current}:
            size = through(name, wanted[name], [current[*head, n] for n in wanted[name]])
            if size is None:
                return None
            shorter[head] = size
        current = shorter
    return current[()]


def _ladder(size: int | None, kind: int) -> list[int] | None:
    if size is None:
        return [[3, 4, 5, 6, 7, 8, 9], [4, 8, 12, 16, 20, 24, 28], None][kind]
    step = smooth_part(size)
    if kind == 0:
        return list(range(3, 3 + _MOST_SAMPLES)) if size > 2 * _MOST_SAMPLES else _near(size, 1)
    if kind == 1:
        return _near(size, 1) if size > 2 * _MOST_SAMPLES else None
    return _near(size, step) if step > 1 else None


def _near(size: int, step: int) -> list[int]:
    """``size`` and what follows it; from the next one where it is a single one, which may be special."""
    first = size + step if size == 1 else size
    return [first + step * k for k in range(_MOST_SAMPLES)]


def _at(sizes: Mapping[str, int]) -> str:
    return ", ".join(f"{n}={s}" for n, s in sizes.items())
