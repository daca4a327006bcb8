"""A figure as the most general formula that is exact at the account's sizes.

Tried in this order, figure by figure: one trace that holds every axis as a letter; the trace of larger
sizes, where the sizes themselves run otherwise (a size of 1); a polynomial read off several sizes of the
axes that change which operators run (a loop, a number of layers); a trace with these axes at their size,
which the formula then says.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import replace

from typedtorch.accounting import figures as fg
from typedtorch.accounting.attempts import pin_sets
from typedtorch.accounting.candidate import Candidate, figures_of
from typedtorch.accounting.decode import LAYER
from typedtorch.accounting.engines import Symbolic, held, pinned_at
from typedtorch.accounting.errors import AccountingError, CounterError, SymbolError
from typedtorch.accounting.formula import Formula
from typedtorch.accounting.limits import Probe, divided
from typedtorch.accounting.question import Question
from typedtorch.accounting.sampled import Samples
from typedtorch.accounting.validity import Found, Validity
from typedtorch.shapes.size import Size, evaluate

_PADDED = "the recurrent layers' workspace padded, and its inputs or states the wider ones, as at these sizes"


class Derivation:
    """The formulas of one question; ``numbers`` are its figures, None where sizes are missing."""

    def __init__(self, question: Question, numbers: Callable[[str], int] | None) -> None:
        self.question, self._numbers = question, numbers
        self._ways = self._candidates()
        self._tried: list[Candidate | int] = []
        self._reasons: list[str] = []
        self._found: dict[str, Formula] = {}
        self._probes: dict[tuple[str, ...], Probe] = {}
        self._traced = False
        self._counts = False  # whether an axis is known to count layers or the turns of a loop

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
            if isinstance(candidate, int):
                if best is not None and candidate >= len(best[0].pinned):
                    break
                continue
            size = candidate.size(name)
            if size is None or not self._holds(name, size, candidate.pinned):
                continue
            if set(candidate.pinned) <= set(self._rigid):
                return self._limited(Formula(name, size, dict(candidate.pinned)), candidate)
            if best is None or len(candidate.pinned) < len(best[0].pinned):
                best = candidate, size
            if set(candidate.pinned) <= self._never:
                break  # no way has fewer
        if best is not None:
            kept = {n: s for n, s in best[0].pinned.items() if n not in self._rigid}
            reason = best[0].why or "the program runs at no other size that was tried"
            found = Formula(name, best[1], dict(best[0].pinned), f"only at {_at(kept)}: {reason}")
            return self._limited(found, best[0])
        raise SymbolError(
            f"no formula for {name}: {self._reasons[0] if self._reasons else 'no axis is free'}"
        )

    def _limited(self, found: Formula, candidate: Candidate) -> Formula:
        """The formula, which says where it does not hold."""
        pinned = tuple(found.pinned)
        if pinned not in self._probes:
            self._probes[pinned] = Probe(self.question, pinned)
        padded = candidate.padded and ("memory." in found.name or "bytes" in found.name)
        asked = Found(
            found.name,
            found.size,
            candidate.divided,
            lambda: {*candidate.rounded, *self.question.layers, *self.question.suited.counters},
            candidate.anchor,
            padded,
        )
        validity = Validity(self._probes[pinned], asked)
        return replace(
            found,
            probe=lambda: validity.limits,
            refusal=validity.refusal,
            divided=candidate.divided,
            note=_PADDED if padded else "",
        )

    def _all(self) -> Iterator[Candidate | int]:
        """Candidates; a number says how many axes those after it have at their size."""
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
        return {n: self._plain[n] for n in held(self.question)}

    @functools.cached_property
    def _never(self) -> set[str]:
        """Axes that no way has as letters."""
        return {*self._rigid, *self.question.suited.stuck}

    def _candidates(self) -> Iterator[Candidate | int]:
        """The ways, the most general first; none with more axes at their size than were needed once,
        where that is for every size.
        """
        known = self._numbers is not None
        for compare in (True, False) if known else (True,):
            if not self._counts:
                yield from self._trace(tuple(self._rigid), compare=compare)
        # some trace holds every axis as a letter: where it is wrong, the size given is a special case
        self._traced = bool(self._tried)
        if not known and self._tried:
            return
        enough: int | None = None
        for pinned in self._pins():
            if enough is not None and len(pinned) > (2 if self._traced else enough):
                break
            yield len(pinned)
            for candidate in self._pinned(pinned):
                enough = len(pinned) if enough is None else enough
                yield candidate
        yield from self._numbers_alone()

    def _pins(self) -> Iterator[tuple[str, ...]]:
        """Axes no trace holds as letters: those that count, and one or two whose sizes cannot be read."""
        suited = self.question.suited
        stuck = tuple(n for n in suited.stuck if n not in self._rigid)
        never = (*suited.counters, *stuck)
        if never:
            yield never
        for more in pin_sets(tuple(suited.layout), self.question.sizes):
            yield (*never, *more)

    def _trace(self, pinned: tuple[str, ...], *, compare: bool) -> Iterator[Candidate]:
        try:
            symbolic = pinned_at(self.question, pinned, compare=compare)
        except AccountingError as error:
            self._counts |= isinstance(error, CounterError)
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
            divided=divided(trace),
            padded=any(op.name.startswith(LAYER) for op in trace.ops),
            anchor=symbolic.read_at,
        )

    def _pinned(self, pinned: tuple[str, ...]) -> Iterator[Candidate]:
        """Polynomials through several sizes of the pinned axes, then the formulas at their own size."""
        known = all(n in self._plain for n in pinned)
        if self._traced:
            alone = list(self._trace((*self._rigid, *pinned), compare=True)) if known else []
            if alone and len(pinned) == 1:
                yield from self._sampled(pinned, {})
            yield from alone
            return
        stuck = {n: self._plain[n] for n in self.question.suited.stuck if n in self._plain}
        moving = tuple(n for n in pinned if n not in stuck)
        # with two axes more at their size, those that count stay at theirs as well
        unreadable = len(moving) > len(self.question.suited.counters) + 1
        fewest = 0 if set(moving) == set(self.question.suited.counters) else len(moving) - 1
        for count in range(len(moving), fewest, -1):
            for chosen in itertools.combinations(moving, count):
                rest = tuple(n for n in moving if n not in chosen)
                if all(n in self._plain for n in rest) and not unreadable:
                    kept = {**stuck, **{n: self._plain[n] for n in rest}}
                    unreadable = yield from self._sampled(chosen, kept)
        if known:
            yield from self._trace((*self._rigid, *pinned), compare=True)

    def _sampled(self, chosen: tuple[str, ...], kept: Mapping[str, int]) -> Generator[Candidate, None, bool]:
        """Formulas from several sizes of some axes; tells whether the others are no letters anyway."""
        if self._traced and any(self._plain.get(n) == 1 for n in chosen):
            return False
        samples = Samples(self.question, chosen, self._plain, known=self._numbers is not None)
        yield from samples.candidates(kept, near=self._traced)
        return samples.unreadable

    def _numbers_alone(self) -> Iterator[Candidate]:
        """The figures themselves, at these sizes only."""
        trace = self.question.numbers
        if trace is None:
            return
        yield Candidate(
            lambda: figures_of(trace, self._plain), lambda: fg.parts(trace), self._plain,
            self._reasons[0] if self._reasons else "no axis is free",
        )  # fmt: skip


def _at(sizes: Mapping[str, int]) -> str:
    return ", ".join(f"{n}={s}" for n, s in sizes.items())
