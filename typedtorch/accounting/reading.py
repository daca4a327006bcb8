"""Read sizes at the labels as polynomials: products of axes, and short sums of products.

Whatever is read must be the size of a second run too.  That leaves several readings of a sum; the shortest
one is meant, and a third run confirms it.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from typedtorch.accounting.errors import UnreadableError
from typedtorch.accounting.labels import LARGEST_OFFSET, SIMPLE, Labels
from typedtorch.shapes.size import Size, axis, evaluate, floor_div

_SCALES = (1, 2, 3, 4)
_SMALL_OFFSET, _ROUNDING = 16, 4  # what is added to several of a product, and to a part of one
_FACTOR = 3  # how much there is to say of any factor
_OFFSETS = tuple(sorted(range(-8, 9), key=abs))
_FEW_OFFSETS = _OFFSETS[:5]
_TWO, _THREE = 4, 9  # sums of so many products are looked for where what was found is longer than this

Powers = Mapping[str, int]
Reading = tuple[Fraction, Size]  # how much there is to say, and what


@dataclass(frozen=True, eq=False)
class _Product:
    """A product of axes, and its size at the labels and elsewhere."""

    powers: Powers
    here: int
    there: int

    @property
    def run(self) -> int:
        return self.here - self.there

    @property
    def degree(self) -> int:
        return sum(self.powers.values())


@dataclass(frozen=True)
class Third:
    """Sizes of a third run, and what stood there where the first two had some size."""

    sizes: Mapping[str, int]
    seen: Mapping[tuple[int, int], int]


class Decoder:
    """Reads sizes at the labels as polynomials, checking each against the same size elsewhere, and a third
    time where there is a third run.
    """

    def __init__(self, labels: Labels, check: Mapping[str, int], third: Third | None = None) -> None:
        self.labels, self.check, self._third = labels, check, third
        self._order = labels.order()
        self._known: dict[tuple[int, int], Size] = {}

    def decode(self, seen: int, elsewhere: int) -> Size:
        """The polynomial that is ``seen`` at the labels and ``elsewhere`` at the other sizes.

        Raises:
            UnreadableError: no polynomial of the kinds tried is both.

        >>> from typedtorch.accounting.labels import choose
        >>> d = Decoder(choose({"batch": 8, "seq": 6}), {"batch": 8, "seq": 6})
        >>> b, s = d.labels.values["batch"], d.labels.values["seq"]
        >>> d.decode(3 * b * s, 144), d.decode(b * (s + 1), 56), d.decode(s // 2, 3), d.decode(10, 10)
        (3*batch*seq, batch*seq + batch, seq//2, 10)
        """
        key = (seen, elsewhere)
        if key not in self._known:
            self._known[key] = self._decode(seen, elsewhere)
        return self._known[key]

    def unambiguous(self) -> dict[int, Size]:
        """What was read so far, by the size at the labels, where that was always read alike."""
        found: dict[int, set[Size]] = {}
        for (seen, _), size in self._known.items():
            found.setdefault(seen, set()).add(size)
        return {seen: sizes.pop() for seen, sizes in found.items() if len(sizes) == 1}

    def _decode(self, seen: int, elsewhere: int) -> Size:
        powers, rest = self._powers(seen)
        # axes may have swapped their primes: their product is no constant then
        if seen == elsewhere and len(powers) < 2 and self._confirmed(seen, elsewhere, seen):
            return seen
        if self._at(self.check, powers) * rest == elsewhere:
            product = self._size(powers, rest)
            if self._confirmed(seen, elsewhere, product):
                return product
        if seen == elsewhere and self._confirmed(seen, elsewhere, seen):
            return seen
        kept = {n: p for n, p in powers.items() if p > 0}
        best: Reading | None = None
        for kind, shortest in (
            (self._one_product, 0), (self._two_products, _TWO), (self._three_products, _THREE)
        ):  # fmt: skip
            if best is not None and best[0] <= shortest:
                break
            for factor in _subsets(kept):
                here, there = self._without(seen, elsewhere, factor)
                for length, size in kind(here, there) if here and there else ():
                    if best is None or length < best[0]:
                        whole = self._size(factor, Fraction(1)) * size
                        if self._confirmed(seen, elsewhere, whole):
                            best = length, whole
        if best is not None:
            return best[1]
        raise UnreadableError(
            f"a size is {seen} at {dict(self.labels.values)} and {elsewhere} at {dict(self.check)}: "
            "not a product of axes, nor a sum of few such products"
        )

    def _confirmed(self, seen: int, elsewhere: int, size: Size) -> bool:
        """Whether the third run agrees, if there was one."""
        if self._third is None or (seen, elsewhere) not in self._third.seen:
            return True
        return evaluate(size, self._third.sizes) == self._third.seen[seen, elsewhere]

    def _without(self, seen: int, elsewhere: int, factor: Powers) -> tuple[int, int]:
        """Both sizes without a factor; zeros where it is none of both."""
        here = seen / self._at(self.labels.values, factor)
        there = elsewhere / self._at(self.check, factor)
        if here.denominator != 1 or there.denominator != 1:
            return 0, 0
        return int(here), int(there)

    def _powers(self, size: int) -> tuple[dict[str, int], Fraction]:
        """Exponents of the axes in a size, and the constant that remains."""
        powers: dict[str, int] = {}
        rest = Fraction(size)
        for name in self._order:
            prime = self.labels.primes[name]
            power = _multiplicity(rest.numerator, prime) - _multiplicity(rest.denominator, prime)
            if power:
                powers[name] = power
                rest /= Fraction(self.labels.values[name]) ** power
        return powers, rest

    def _one_product(self, here: int, there: int) -> Iterator[Reading]:
        """``a * product + b``, the square of one, or a quotient and a small constant."""
        for one in self._products:
            line = self._line(here, there, one)
            if line is not None:
                yield _length(*line) + one.degree, self._rounded(one.powers, *line)
        yield from self._root(here, there)
        yield from self._shifted(here, there)

    def _two_products(self, here: int, there: int) -> Iterator[Reading]:
        """``a * product + c * product + b``, or a quotient, a product and a small constant."""
        for offset, scale, two in itertools.product(_OFFSETS, (*_SCALES, -1), self._products):
            left = here - offset - scale * two.here, there - offset - scale * two.there
            for slope, one in self._scaled.get(left, ()):
                if one is not two:
                    length = _length(slope, Fraction(offset)) + abs(scale) - 1 + one.degree + two.degree
                    both = self._size(one.powers, slope) + self._size(two.powers, Fraction(scale))
                    yield length, both + offset
        for two in self._products:
            if here > two.here:
                for length, size in self._shifted(here - two.here, there - two.there, most=2):
                    yield length + two.degree, size + self._size(two.powers, Fraction(1))

    def _three_products(self, here: int, there: int) -> Iterator[Reading]:
        """The sum of three products, each once to four times, and a small constant."""
        for offset, scale, three in itertools.product(_FEW_OFFSETS, _SCALES, self._products):
            left = here - offset - scale * three.here, there - offset - scale * three.there
            for a, one, b, two in self._pairs.get(left, ()):
                length = abs(offset) + a + b + scale - 3 + one.degree + two.degree + three.degree
                size = self._size(one.powers, Fraction(a)) + self._size(two.powers, Fraction(b))
                yield Fraction(length), size + self._size(three.powers, Fraction(scale)) + offset

    @functools.cached_property
    def _products(self) -> list[_Product]:
        """Axes, their squares, and products of two."""
        names = list(self.labels.primes)
        powers: list[dict[str, int]] = [{n: 1} for n in names]
        powers += [{n: 2} for n in names]
        powers += [{a: 1, b: 1} for a, b in itertools.combinations(names, 2)]
        return [
            _Product(p, int(self._at(self.labels.values, p)), int(self._at(self.check, p))) for p in powers
        ]

    @functools.cached_property
    def _scaled(self) -> dict[tuple[int, int], list[tuple[Fraction, _Product]]]:
        """Simple multiples and parts of the products, by what they are at the two choices of sizes."""
        found: dict[tuple[int, int], list[tuple[Fraction, _Product]]] = {}
        for one, slope in itertools.product(self._products, SIMPLE):
            here, there = one.here * slope, one.there * slope
            if here.denominator == there.denominator == 1:
                found.setdefault((int(here), int(there)), []).append((slope, one))
        return found

    @functools.cached_property
    def _pairs(self) -> dict[tuple[int, int], list[tuple[int, _Product, int, _Product]]]:
        """Sums of two products, each once to four times, likewise."""
        found: dict[tuple[int, int], list[tuple[int, _Product, int, _Product]]] = {}
        scaled = list(itertools.product(_SCALES, self._products))
        for (a, one), (b, two) in itertools.combinations(scaled, 2):
            if one is not two:
                at = a * one.here + b * two.here, a * one.there + b * two.there
                found.setdefault(at, []).append((a, one, b, two))
        return found

    def _root(self, here: int, there: int) -> Iterator[Reading]:
        """What this is the square of: ``(2*window - 1)**2``."""
        roots = math.isqrt(here), math.isqrt(there)
        if (roots[0] ** 2, roots[1] ** 2) != (here, there):
            return
        for one in self._products:
            line = self._line(*roots, one)
            if line is not None:
                yield _length(*line) + one.degree + 1, self._rounded(one.powers, *line) ** 2

    def _shifted(self, here: int, there: int, most: int = 16) -> Iterator[Reading]:
        """Any product or quotient of axes, and a small constant: ``(image // patch)**2 + 1``."""
        for offset in sorted(range(-most, most + 1), key=abs):
            if here <= offset:
                continue
            powers, rest = self._powers(here - offset)
            if powers and self._at(self.check, powers) * rest == there - offset:
                degree = sum(map(abs, powers.values()))
                yield _length(rest, Fraction(offset)) + degree, self._size(powers, rest) + offset
                return

    def _line(self, here: int, there: int, one: _Product) -> tuple[Fraction, Fraction] | None:
        """``a`` and ``b`` with ``a * product + b`` at both sizes, if a is simple and b small."""
        if not one.run:
            return None
        slope = Fraction(here - there, one.run)
        offset = here - slope * one.here
        if slope <= 0 or slope.denominator % offset.denominator:
            return None
        most = LARGEST_OFFSET if slope == 1 else _SMALL_OFFSET if slope.denominator == 1 else _ROUNDING
        plain = slope in SIMPLE and abs(offset) <= most
        scaled = slope.denominator == 1 and offset % slope == 0 and abs(offset / slope) <= 16
        return (slope, offset) if plain or scaled else None

    def _rounded(self, powers: Powers, slope: Fraction, offset: Fraction) -> Size:
        """``(a * product + b) // c``, which is exact at the sizes it was read from."""
        if offset.denominator == 1:
            return self._size(powers, slope) + int(offset)
        above = self._size(powers, Fraction(slope.numerator))
        return floor_div(above + int(offset * slope.denominator), slope.denominator)

    def _at(self, sizes: Mapping[str, int], powers: Powers) -> Fraction:
        value = Fraction(1)
        for name, power in powers.items():
            value *= Fraction(sizes[name]) ** power
        return value

    def _size(self, powers: Powers, scale: Fraction) -> Size:
        """``scale * product``; what is divided by becomes a floor, which is exact where it divides."""
        above: Size = scale.numerator
        below: Size = scale.denominator
        for name, power in powers.items():
            for _ in range(abs(power)):
                if power > 0:
                    above = above * axis(name)
                else:
                    below = below * axis(name)
        return floor_div(above, below)


def _subsets(powers: Powers) -> list[dict[str, int]]:
    """Factors to take out before a sum is looked for, the whole first."""
    names = list(powers)
    chosen = [c for k in range(len(names), -1, -1) for c in itertools.combinations(names, k)]
    return [{n: powers[n] for n in c} for c in chosen]


def _length(slope: Fraction, offset: Fraction) -> Fraction:
    """How much there is to say of ``slope * (size + offset)``: of two readings the shorter one is meant."""
    length = abs(offset) + slope.numerator + slope.denominator - 2
    return length if slope in SIMPLE or not slope else abs(offset / slope) + _FACTOR


def _multiplicity(size: int, prime: int) -> int:
    count = 0
    while size and size % prime == 0:
        size, count = size // prime, count + 1
    return count
