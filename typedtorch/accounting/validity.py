"""Where a formula holds: a program may run other operators at a size of 1, round sizes that it halves, and
branch on a size.

Labels are large and divide as the sizes do, so that little of that is seen there: the program is run at
sizes of 1, where it divides sizes at sizes that do not divide, and at sizes much smaller and much larger
than the account's.  What a formula misses there it says.  All axes move at once first; where the formula is
wrong then, it is found out which of them it is, and from which size on.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from typedtorch.accounting.attempts import few
from typedtorch.accounting.formula import Limits, span
from typedtorch.accounting.limits import Probe
from typedtorch.accounting.ranges import Ranges, fewest
from typedtorch.shapes.size import Size, atoms, evaluate

Sizes = Mapping[str, int]
_EVEN = 64
_DIVISORS = (2, 3, 4, 6, 8, 12, 16, 32, 64)


@dataclass(frozen=True)
class Found:
    """A formula of a figure, and how it was found.

    ``divided`` are axes that sizes are parts of, ``counters`` gives those that count layers or turns, which
    takes a search; ``anchor`` are sizes that it was read at; ``padded`` says that a library's workspace is
    among its bytes.
    """

    name: str
    size: Size
    divided: frozenset[str] = frozenset()
    counters: Callable[[], Collection[str]] = tuple
    anchor: Mapping[str, int] | None = None
    padded: bool = False


class Validity:
    """Where a formula holds.

    Where it is padded, what several axes miss only together is the padding, which a note tells: whole
    pages hide at small sizes what is missed at large ones, and no axis is rounded.
    """

    def __init__(self, probe: Probe, found: Found) -> None:
        self.probe, self.found = probe, found
        self._peak = "peak" in found.name  # of one moment, wherever it lies elsewhere

    @functools.cached_property
    def limits(self) -> Limits:
        """What the formula does not cover."""
        if self._peak:
            return Limits()
        ones = self._culprits(self.probe.axes, lambda n: 1)
        fixed = {n: self.start[n] for n in self._fixed}
        low, high = {**self._ranges.low, **fixed}, {**self._ranges.high, **fixed}
        ranges = {n: (low.get(n), high.get(n)) for n in self.probe.axes if n in low or n in high}
        above = tuple(n for n in ones if n not in self._multiples and n not in low)
        return Limits(above, self._multiples, ranges)

    def refusal(self, given: Sizes) -> str:
        """Why the formula does not answer at these sizes; empty where it does."""
        if self._peak:
            return ""
        ones = tuple(n for n in self.probe.axes if given.get(n) == 1)
        if ones and self._special(ones):
            alone = [n for n in ones if self._special((n,))] or ones
            return f"holds for {', '.join(alone)} above 1: at 1 other operators run; account for that size"
        names = {a.name for a in atoms(self.found.size)}
        for name, part in self._multiples.items() if names & self.found.divided else ():
            if given.get(name, part) % part:
                return (
                    f"holds for {name} that {part} divides, not for {name}={given[name]}: "
                    "sizes are rounded there; account for that size"
                )
        return self._beyond_ranges({n: given[n] for n in self.probe.axes if n in given})

    def _beyond_ranges(self, given: Sizes) -> str:
        """Where the formula is known to end somewhere, the program at these very sizes decides; it is asked
        first where that spares looking for the ends.
        """
        start = self.start
        at = {**start, **given}
        asked = "limits" not in vars(self) and self.probe.affords(at)
        there = self.probe.read(at, self.found.name) if asked else None
        if there == evaluate(self.found.size, at):
            return ""
        fixed = {n: start[n] for n in self._fixed}
        low = {**(self._ranges.low if any(s < start[n] for n, s in given.items()) else {}), **fixed}
        high = {**(self._ranges.high if any(s > start[n] for n, s in given.items()) else {}), **fixed}
        if not low and not high and there is None:
            return ""
        outside = [n for n, s in given.items() if s < low.get(n, s) or s > high.get(n, s)]
        there = self.probe.read(at, self.found.name)
        right = not outside if there is None else there == evaluate(self.found.size, at)
        if right:
            return ""
        names = outside or [n for n in given if n in low or n in high] or list(given)
        where = ", ".join(span(n, low.get(n), high.get(n)) for n in names if n in low or n in high)
        what = ", ".join(f"{n}={given[n]}" for n in names)
        why = "sizes are rounded" if set(names) <= self._fixed else "other operators run"
        return f"holds for {where or 'other sizes'}, not for {what}: {why} there; account for that size"

    @functools.cached_property
    def start(self) -> Sizes:
        """Sizes at which the formula is right."""
        base, anchor = self.probe.base, self.found.anchor
        if not anchor or (self.probe.question.numbers is not None and not self._wrong(base)):
            return base
        return {**base, **anchor}

    @functools.cached_property
    def _ranges(self) -> Ranges:
        axes = () if self.found.padded else tuple(n for n in self.probe.axes if n not in self._fixed)
        inputs = tuple(n for n in axes if n in self.probe.inputs)
        return Ranges(
            self.probe.runs, self._wrong, self.start, axes, inputs,
            counters=self.found.counters(), steps=self._multiples, more=self._between(axes, inputs),
        )  # fmt: skip

    def _between(self, axes: tuple[str, ...], inputs: tuple[str, ...]) -> Iterator[Sizes]:
        """Sizes between the smallest and those of labels, which were nobody's choice; and few of everything,
        where what a constructor is given is not made small with the inputs.
        """
        if axes != inputs:
            part = self._multiples
            yield {n: -(-size // part.get(n, 1)) * part.get(n, 1) for n, size in few(axes).items()}
        if self.start is not self.probe.base:
            yield self.probe.base
            for size in (_EVEN, _EVEN // 4, _EVEN // 8):
                yield dict.fromkeys(inputs, size)

    @functools.cached_property
    def _multiples(self) -> Mapping[str, int]:
        """Axes that are rounded, and what has to divide them for the formula to be right."""
        return {n: part for n, part in self._rounded.items() if part}

    @functools.cached_property
    def _fixed(self) -> frozenset[str]:
        """Axes that are rounded whatever divides them: how, their own size does not tell."""
        return frozenset(n for n, part in self._rounded.items() if not part)

    @functools.cached_property
    def _rounded(self) -> Mapping[str, int]:
        """Axes that are rounded, and what has to divide them for the formula to be right, 0 for nothing."""
        others = tuple(n for n in self.probe.axes if n in self.found.divided)
        beyond = [{n: self._beyond(n, 1)[k] for n in others} for k in range(4)]
        found = [self._culprits(others, there.__getitem__) for there in beyond]
        if self.found.padded:
            found = [
                tuple(n for n in names if self._wrong_with({n: there[n]}))
                for names, there in zip(found, beyond, strict=True)
            ]
        return {n: self._multiple(n) for names in found for n in names}

    def _special(self, ones: Collection[str]) -> bool:
        """Whether the formula is wrong where these axes are 1, all others as they are."""
        return self._wrong_with(dict.fromkeys(ones, 1))

    def _wrong_with(self, sizes: Sizes) -> bool:
        return self._wrong({**self.start, **sizes})

    def _wrong(self, sizes: Sizes) -> bool:
        there = self.probe.read(sizes, self.found.name)
        return there is not None and evaluate(self.found.size, sizes) != there

    def _beyond(self, name: str, step: int) -> tuple[int, int, int, int]:
        """Larger sizes: by a step, those a step above and below a size that can be halved six times, and one
        that is rounded as a step below a label is.

        A quotient is read as exact at labels, with the least number above that is rounded so there; with
        any larger one, what is a step below is rounded otherwise.
        """
        size = self.start[name]
        read = (self.found.anchor or self.start).get(name, size) // step * step
        rest = (read - step - size) % (3 * _EVEN) or 3 * _EVEN
        return size + step, size + (step - size) % _EVEN, size + (-step - size) % _EVEN, size + rest

    def _multiple(self, name: str) -> int:
        """The least part of the size that it can grow by; 0 where none is found."""
        size = self.start[name]
        for step in (n for n in _DIVISORS if size % n == 0):
            points = [{**self.start, name: there} for there in self._beyond(name, step)]
            if all(self.probe.runs(point) and not self._wrong(point) for point in points):
                return step
        return 0

    def _culprits(self, axes: tuple[str, ...], other: Callable[[str], int]) -> tuple[str, ...]:
        """Axes at whose other size the formula is wrong: all at once first, then those of the inputs."""
        inputs = tuple(n for n in axes if n in self.probe.inputs)
        for chosen in dict.fromkeys((axes, inputs)):
            sizes = {n: other(n) for n in chosen}
            if not sizes or not self.probe.runs({**self.start, **sizes}):
                continue
            if not self._wrong_with(sizes):
                return ()
            alone = tuple(n for n in chosen if self._wrong_with({n: sizes[n]}))
            rest = [n for n in chosen if n not in alone and self.start[n] != sizes[n]]
            return alone + fewest(rest, lambda names: self._wrong_with({n: other(n) for n in names}))
        return tuple(n for n in inputs if self._wrong_with({n: other(n)}))
