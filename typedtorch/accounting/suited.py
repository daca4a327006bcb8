"""Labels that suit a program, found by moving its axes one after the other.

A program wants some sizes to divide others, to stay below a table's rows, to be a product of two others.
From sizes it runs at, each axis is moved to a label, alone or together with what is a multiple of it; the
forward is run there, and its sizes must be readable.  What runs other operators at every label counts
layers or the turns of a loop; what runs at none stays where it is.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from typedtorch.accounting.errors import (
    AccountingError,
    CounterError,
    SizeError,
    SymbolError,
    TooLargeError,
    UnreadableError,
)
from typedtorch.accounting.labels import Labels, Place, choose, smooth_part
from typedtorch.accounting.reading import Decoder
from typedtorch.accounting.trace import Trace
from typedtorch.shapes.size import Size, evaluate

Places = dict[str, Place]
_EVEN = 64  # what the label of an axis without a size divides by, where it may


@dataclass(frozen=True)
class Suited:
    """A layout of labels for the axes that move, the axes that count, and those that stay at their size."""

    layout: Mapping[str, Place]
    counters: tuple[str, ...] = ()
    stuck: tuple[str, ...] = ()


@dataclass
class Search:
    """``run`` records the forward at some sizes, ``read`` decodes a trace; ``base`` are sizes it runs at."""

    run: Callable[[Mapping[str, int]], Trace]
    read: Callable[[Trace, Trace, Decoder], Trace]
    base: Mapping[str, int]
    axes: tuple[str, ...]
    avoid: set[int] = field(default_factory=set)
    layers: tuple[str, ...] = ()  # axes that are known to count
    unknown: frozenset[str] = frozenset()  # axes whose size is a guess
    even: int = _EVEN  # what labels divide by at most

    def __post_init__(self) -> None:
        self._places = {name: Place(self.base[name], prime="none") for name in self.axes}
        self._counters: set[str] = set(self.layers)
        self._otherwise: set[str] = set()  # axes at whose labels it runs, but other operators
        self._unreadable: set[str] = set()  # axes at whose labels it runs the same, on sizes nobody can read
        self._blurred = False  # whether sizes were all that could not be read the last time
        self.too_large = False  # whether some labels made tensors that are larger than torch can count
        self._hasty = True  # whether what may be seen later need not be tried yet
        self._there, self._check = self.run(self.base), dict(self.base)

    def result(self) -> Suited:
        """Move the axes, the largest first; again, as a table may have grown; last those that barely move."""
        for ways in (self._ways, self._ways, self._narrow):
            self._lift_all(ways, self._suits)
            self._lift_together()
            self._hasty = False
        self._lift_all(self._ways, self._suits_elsewhere)
        self._round_alike()
        self._round_as_any()
        moved = self._moved()
        counts = self._counters | self._otherwise
        counters = tuple(n for n in self.axes if n in counts and n not in moved)
        stuck = tuple(n for n in self.axes if n not in moved and n not in counts)
        return Suited({n: self._places[n] for n in moved}, counters, stuck)

    def _lift_all(
        self, ways: Callable[[str], Iterator[Places]], suits: Callable[[Places], bool | None]
    ) -> None:
        for name in sorted(self.axes, key=lambda n: -self.base[n]):
            if self._places[name].prime == "none" and name not in self._counters:
                self._lift(name, ways(name), suits)

    def _lift_together(self) -> None:
        """Move what could not be read at once: of ``a + 4 * b`` neither moves alone."""
        names = [n for n in self.axes if n in self._unreadable and self._places[n].prime == "none"]
        if len(names) > 1:
            places = {**self._places, **{n: self._alone(n) for n in names}}
            with contextlib.suppress(CounterError):
                if self._suits(places):
                    self._places = places
        self._unreadable.clear()

    def _alone(self, name: str) -> Place:
        """A label of its own, as divisible as the size."""
        place = self._places[name]
        smooth = smooth_part(place.factor, self.even)
        return replace(
            place, factor=max(smooth, self.even) if name in self.unknown else smooth, prime="large"
        )

    def _round_alike(self) -> None:
        """Labels that leave the remainders of their sizes, where sizes are rounded as they are there only."""
        for name in sorted(self.axes, key=lambda n: -self.base[n]):
            if self._same_everywhere(self._places):
                return
            place = self._places[name]
            inside = any(name in p.within for p in self._places.values())
            if place.prime == "large" and not inside and self._is_odd(name):
                places = {**self._places, name: replace(place, prime="alike")}
                if self._suits(places):
                    self._places = places

    def _round_as_any(self) -> None:
        """Instead of those labels that are never rounded, or that are rounded up each time, where they tell
        the same of the sizes: what is read off one remainder need not be so at others.
        """
        for name in [n for n, place in self._places.items() if place.prime == "alike"]:
            for place in (Place(_EVEN), Place(1, prime="above")):
                places = {**self._places, name: place}
                if self._same_everywhere(places):
                    self._places = places
                    break

    def _is_odd(self, name: str) -> bool:
        """Whether halving the size a few times rounds, and a label that does the same is no longer one."""
        return self.base[name] > 8 and self.base[name] % 32 > 0 and not self._places[name].within

    def _same_everywhere(self, places: Places) -> bool:
        """Whether what is read off two choices of labels is right at the base."""
        try:
            (labels, here), (others, there) = (self._at(places, turn) for turn in (0, 1))
            found = self.read(here, there, Decoder(labels, others.values))
        except AccountingError:
            return False
        at = dict(self.base)
        pairs = zip(_shapes(found), _shapes(self._there), strict=False)
        return all(size == wanted or evaluate(size, at) == wanted for size, wanted in set(pairs))

    def _moved(self) -> list[str]:
        """Axes with a prime, and those that are products of them."""
        return [n for n in self.axes if self._places[n] != Place(self.base[n], prime="none")]

    def _lift(self, name: str, ways: Iterator[Places], suits: Callable[[Places], bool | None]) -> None:
        for places in ways:
            alone = sum(p != self._places[n] for n, p in places.items()) == 1
            if not alone and self._hasty and name in self._unreadable:
                return
            try:
                found = suits(places)
            except CounterError:
                if not alone:
                    continue
                self._counters.add(name)
                return
            if found and self._lasts(name, places):
                self._places = places
                return
            if found is None and alone:
                self._otherwise.add(name)
                if self._blurred:
                    self._unreadable.add(name)

    def _suits(self, places: Places) -> bool | None:
        """Whether the same operators run at the labels, on readable sizes; None where they only run."""
        try:
            labels, here = self._at(places, 0)
        except CounterError:
            raise
        except AccountingError:
            return False
        self._blurred = False
        try:
            self.read(here, self._there, Decoder(labels, self._check))
        except SymbolError as error:
            self._blurred = isinstance(error, UnreadableError)
            return None
        return True

    def _lasts(self, name: str, places: Places) -> bool:
        """Whether it runs at further labels of a bounded size, and what is only a product must be one."""
        try:
            for turn in () if places[name].prime == "large" else (1, 2):
                self._at(places, turn)
        except AccountingError:
            return False
        sizes = {**self.base, **self._labels(places, 0).values}
        changed = (n for n, p in places.items() if p != self._places[n] and p.prime == "none")
        return not any(self._moves(other, sizes) for other in changed)

    def _moves(self, name: str, sizes: Mapping[str, int]) -> bool:
        """Whether the program runs at another size of this axis alone."""
        size = sizes[name]
        for other in (size // 2, 2 * size, self.base[name]):
            try:
                if other not in (0, size):
                    self.run({**sizes, name: other})
                    return True
            except CounterError:
                return True
            except AccountingError:
                continue
        return False

    def _suits_elsewhere(self, places: Places) -> bool | None:
        """The same where the size given is a special case: whether other labels do as these do."""
        try:
            labels, here = self._at(places, 0)
            others, there = self._at(places, 1)
            self.read(here, there, Decoder(labels, others.values))
        except SymbolError:
            return None
        except AccountingError:
            return False
        self._there, self._check = there, {**self.base, **others.values}
        return True

    def _labels(self, places: Mapping[str, Place], turn: int) -> Labels:
        return choose({n: self.base[n] for n in self.axes}, layout=places, avoid=self.avoid, turn=turn)

    def _at(self, places: Mapping[str, Place], turn: int) -> tuple[Labels, Trace]:
        labels = self._labels(places, turn)
        try:
            trace = self.run({**self.base, **labels.values})
        except TooLargeError:
            self.too_large = True
            raise
        if is_empty(trace) and not is_empty(self._there):
            raise SizeError("a size is 0 at these labels")
        return labels, trace

    def _ways(self, name: str) -> Iterator[Places]:
        """The label on its own, as divisible as the size; then with one multiple of it, two, or all."""
        place = self._places[name]
        smooth = smooth_part(place.factor, self.even)
        if name in self.unknown and smooth < self.even:
            yield {**self._places, name: self._alone(name)}
        yield {**self._places, name: replace(place, factor=smooth, prime="large")}
        if self._is_odd(name):
            yield {**self._places, name: replace(place, prime="alike")}
        if smooth != place.factor:
            yield {**self._places, name: replace(place, prime="large")}
        multiples = [n for n in self.axes if n != name and n not in self._counters and self._holds(n, name)]
        chosen = [c for count in (1, 2) for c in itertools.combinations(multiples, count)]
        chosen += [tuple(multiples)] if len(multiples) > 2 else []
        for others in chosen:
            joint = {n: self._inside(n, name) for n in others}
            yield {**self._places, **joint, name: replace(place, prime="large")}

    def _holds(self, other: str, name: str) -> bool:
        """Whether the label of the other can be made a multiple of this one's."""
        place, own = self._places[other], self._places[name]
        inner = set(own.within)
        return (
            place.prime in ("none", "large") and place.factor % own.factor == 0 and inner <= set(place.within)
            and name not in place.within and not self._reaches(name, other)
        )  # fmt: skip

    def _reaches(self, name: str, other: str) -> bool:
        """Whether the label of ``name`` is a multiple of the other's already."""
        return any(n == other or self._reaches(n, other) for n in self._places[name].within)

    def _inside(self, other: str, name: str) -> Place:
        place, own = self._places[other], self._places[name]
        within = (*(n for n in place.within if n not in own.within), name)
        return replace(place, factor=place.factor // own.factor, within=within)

    def _narrow(self, name: str) -> Iterator[Places]:
        """Labels of a bounded size, or that need not divide as the size does."""
        place, size = self._places[name], self.base[name]
        smooth = smooth_part(place.factor)
        for factor in dict.fromkeys((place.factor, smooth, smooth // 2, smooth // 4)):
            if factor > 1:
                yield {**self._places, name: replace(place, factor=factor, prime="tiny")}
        yield {**self._places, name: replace(place, factor=1, prime="large")}
        for factor in () if place.within else dict.fromkeys((smooth_part(size), 1)):
            if size > 2 * factor:
                yield {**self._places, name: Place(factor, prime="small")}


def _shapes(trace: Trace) -> Iterator[Size]:
    for op in trace.ops:
        for meta in op.outs:
            yield from meta.shape


def is_empty(trace: Trace) -> bool:
    """Whether some parameter, or something that an operator gives, has no elements."""
    weights = (weight.shape for weight in trace.weights)
    return any(0 in shape for shape in weights) or any(0 in m.shape for op in trace.ops for m in op.outs)
