"""Prime labels: give every axis a size no other can be mistaken for, and read sizes back as polynomials.

A size seen while the program runs at the labels is factored into them; what the factors leave must be
a constant, or a constant plus one monomial (``seq + 1``).  Every reading is checked against the same
size in a second run at other sizes, so a coincidence in one of them cannot pass.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from typedtorch.accounting.errors import SymbolError
from typedtorch.shapes.size import Size, axis, floor_div

_PRIMES = [p for p in range(11, 4000) if all(p % q for q in range(2, int(p**0.5) + 1))]
_SIMPLE = sorted({Fraction(a, b) for a in range(1, 13) for b in (1, 2, 3, 4, 6, 8, 12, 16, 32, 64)})

_LARGEST_OFFSET = 64
_MOST_SHUFFLES = 200

# the prime of an axis: none, a large one, the largest that keeps the label below the size ("small"), one of
# the least ("tiny"), one with which the label leaves the remainder of the size when divided by 64, so that
# halves are rounded as its are ("alike")
Prime = Literal["none", "large", "small", "tiny", "alike"]


@dataclass(frozen=True)
class Place:
    """How the label of an axis is made: ``factor``, a prime of its own, the labels it is a multiple of."""

    factor: int
    within: tuple[str, ...] = ()
    prime: Prime = "large"


Layout = Mapping[str, Place]


@dataclass(frozen=True)
class Labels:
    """``values`` are the sizes axes get; ``primes`` the prime of each that no other label starts from.

    A label may be a multiple of others (``d_model`` of ``heads``): ``within`` says of which.  One without a
    prime is their product, and is not read back.
    """

    values: Mapping[str, int]
    primes: Mapping[str, int]
    within: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def order(self) -> list[str]:
        """Multiples first, so that what they contain is taken out before the rest is counted."""
        return [name for name in _inside_first(self.values, self.within)[::-1] if name in self.primes]


def _inside_first(names: Iterable[str], within: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Every name after those it is a multiple of."""
    found: dict[str, None] = {}

    def visit(name: str) -> None:
        for inner in within.get(name, ()):
            visit(inner)
        found[name] = None

    for name in names:
        if name not in found:
            visit(name)
    return list(found)


def smooth_part(size: int, limit: int = 64) -> int:
    """The part of a size made of twos and threes, so that a label divides as the size did.

    >>> smooth_part(96), smooth_part(50), smooth_part(1)
    (32, 2, 1)
    """
    part = 1
    while size % 2 == 0 and part < limit:
        size, part = size // 2, part * 2
    if size % 3 == 0 and part == 1:
        part = 3
    return part


def choose(
    sizes: Mapping[str, int], *, layout: Layout | None = None, avoid: Iterable[int] = (), turn: int = 0
) -> Labels:
    """Labels for axes of these sizes: by the layout, or each a prime times the smooth part of its size.

    The largest sizes get the smallest primes; ``turn`` 1 and 2 give every axis another one, so that no axis
    can be taken for a sum of another and a small number.

    >>> choose({"heads": 4, "dim": 48}, layout={"heads": Place(4), "dim": Place(4, ("heads",))}).values
    {'heads': 116, 'dim': 10672}
    """
    places = layout or {name: Place(smooth_part(size)) for name, size in sizes.items()}
    within = {name: tuple(n for n in places[name].within if n in sizes) for name in sizes}
    taken = {p for p in _PRIMES for n in avoid if n % p == 0}
    names = sorted(sizes, key=lambda n: -sizes[n])
    first = _placed(sizes, places, within, taken, names, 0)
    if not turn:
        return first
    shuffled = random.Random(turn)
    best, least = first, len(sizes) ** 3
    for _ in range(_MOST_SHUFFLES):
        found = _placed(sizes, places, within, taken, names, turn)
        confused = _confused(first, found)
        if confused < least:
            best, least = found, confused
        if not least:
            break
        shuffled.shuffle(names)
    return best


def _placed(
    sizes: Mapping[str, int],
    places: Layout,
    within: Mapping[str, tuple[str, ...]],
    taken: set[int],
    names: list[str],
    turn: int,
) -> Labels:
    """Labels whose primes are given out in the order of the names."""
    large = [p for p in _PRIMES if p > 19 and p not in taken][: len(sizes) + 3]
    tiny = [p for p in (5, 7, *_PRIMES) if p not in taken and p not in large]
    pools: dict[Prime, list[int]] = {"large": large, "tiny": tiny}
    ranks: dict[str, int] = {}
    for kind in pools:
        mine = [n for n in names if places[n].prime == kind]
        pools[kind] = pools[kind][: len(mine) + 2]
        ranks.update({n: rank + turn for rank, n in enumerate(mine)})
    values: dict[str, int] = {}
    primes: dict[str, int] = {}
    for name in _inside_first(sizes, within):
        place, size = places[name], sizes[name]
        factor, prime = place.factor, 1
        if place.prime == "small":
            prime = _largest(size // factor, set(primes.values()), turn)
        elif place.prime == "alike":
            factor, prime = _alike(size, taken | set(primes.values()), turn)
        elif place.prime != "none":
            prime = pools[place.prime][ranks[name] % len(pools[place.prime])]
        if place.prime != "none":
            primes[name] = prime
        values[name] = factor * prime * math.prod(values[n] for n in within[name])
    return Labels(values, primes, within)


def _confused(first: Labels, second: Labels) -> int:
    """How often an axis has its prime again, or is twice a simple multiple of another and a small number."""
    same = sum(first.primes[n] == second.primes[n] for n in first.primes)
    count = same * len(first.primes) ** 2
    for a, b in itertools.permutations(first.primes, 2):
        rise, run = first.values[a] - second.values[a], first.values[b] - second.values[b]
        if run and abs(first.values[a] * run - rise * first.values[b]) <= abs(run) * 2 * _LARGEST_OFFSET:
            count += Fraction(rise, run) in _SIMPLE
    return count


def _alike(size: int, taken: set[int], turn: int) -> tuple[int, int]:
    """A power of two and a prime whose product leaves what the size leaves, divided by 64.

    >>> [a * p % 64 for a, p in (_alike(225, set(), 0), _alike(200, set(), 1), _alike(128, set(), 0))]
    [33, 8, 0]
    """
    factor = min(size & -size, 64)
    wanted = size // factor % (64 // factor)
    alike = [p for p in _PRIMES if p > 31 and p not in taken and p % (64 // factor) == wanted]
    return factor, alike[(turn * len(taken) + turn) % len(alike)]


def _largest(size: int, taken: set[int], turn: int) -> int:
    """The largest free prime below a size; another one for a second and a third set where there are more.

    Raises:
        SymbolError: no prime is left.
    """
    free = [p for p in (2, 3, 5, 7, *_PRIMES) if p < size and p not in taken]
    if free:
        return free[-1 - min(turn, len(free) - 1)]
    raise SymbolError(f"no label fits below {size}")


class Decoder:
    """Reads sizes at the labels as polynomials, checking each against the same size elsewhere."""

    def __init__(self, labels: Labels, check: Mapping[str, int]) -> None:
        self.labels, self.check = labels, check
        self._order = labels.order()
        self._known: dict[tuple[int, int], Size] = {}

    def decode(self, seen: int, elsewhere: int) -> Size:
        """The polynomial that is ``seen`` at the labels and ``elsewhere`` at the other sizes.

        Raises:
            SymbolError: no polynomial of the kinds tried is both.

        >>> d = Decoder(choose({"batch": 8, "seq": 6}), {"batch": 8, "seq": 6})
        >>> b, s = d.labels.values["batch"], d.labels.values["seq"]
        >>> d.decode(3 * b * s, 144), d.decode(b * (s + 1), 56), d.decode(s // 2, 3), d.decode(10, 10)
        (3*batch*seq, batch*seq + batch, seq//2, 10)
        """
        key = (seen, elsewhere)
        if key not in self._known:
            self._known[key] = self._decode(seen, elsewhere)
        return self._known[key]

    def _decode(self, seen: int, elsewhere: int) -> Size:
        if seen == elsewhere:
            return seen
        powers, rest = self._powers(seen)
        if self._at_check(powers) * rest == elsewhere:
            return self._size(powers, rest)
        kept = {n: p for n, p in powers.items() if p > 0}
        for extracted in self._subsets(kept):
            found = self._sum(seen, elsewhere, extracted)
            if found is not None:
                return found
        raise SymbolError(
            f"a size is {seen} at {dict(self.labels.values)} and {elsewhere} at {dict(self.check)}: "
            "not a product of axes, nor a sum of two such products"
        )

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

    def _subsets(self, powers: Mapping[str, int]) -> list[dict[str, int]]:
        """Factors to take out before a sum is looked for, the whole first."""
        names = list(powers)
        chosen = [c for k in range(len(names), -1, -1) for c in itertools.combinations(names, k)]
        return [{n: powers[n] for n in c} for c in chosen]

    def _sum(self, seen: int, elsewhere: int, factor: Mapping[str, int]) -> Size | None:
        """``factor * (a * monomial + b)``, or with a second monomial; a simple, b small."""
        here, there = Fraction(seen), Fraction(elsewhere)
        here /= self._at(self.labels.values, factor)
        there /= self._at(self.check, factor)
        if here.denominator != 1 or there.denominator != 1:
            return None
        monomials = self._monomials()
        lines = [(one, line) for one in monomials if (line := self._line(here, there, one)) is not None]
        if lines:
            one, line = min(lines, key=lambda found: _length(*found[1]))
            return self._size(factor, Fraction(1)) * self._rounded(one, *line)
        root = self._root(here, there)
        if root is not None:
            return self._size(factor, Fraction(1)) * root**2
        shifted = self._shifted(here, there)
        if shifted is not None:
            return self._size(factor, Fraction(1)) * shifted
        for one, two in itertools.permutations(monomials, 2):
            for scale in (Fraction(1), Fraction(2), Fraction(3)):
                less = here - scale * self._at(self.labels.values, two)
                if less <= 0:
                    continue
                line = self._line(less, there - scale * self._at(self.check, two), one)
                if line is not None and line[1].denominator == 1 and abs(line[1]) <= 2:
                    both = self._size(one, line[0]) + self._size(two, scale)
                    return self._size(factor, Fraction(1)) * (both + int(line[1]))
        for two in monomials:
            less = here - self._at(self.labels.values, two)
            shifted = self._shifted(less, there - self._at(self.check, two), most=2) if less > 0 else None
            if shifted is not None:
                return self._size(factor, Fraction(1)) * (shifted + self._size(two, Fraction(1)))
        return None

    def _root(self, here: Fraction, there: Fraction) -> Size | None:
        """What this is the square of: ``(2*window - 1)**2``."""
        roots = Fraction(math.isqrt(int(here))), Fraction(math.isqrt(int(there)))
        if (roots[0] ** 2, roots[1] ** 2) != (here, there):
            return None
        for one in self._monomials():
            line = self._line(*roots, one)
            if line is not None:
                return self._rounded(one, *line)
        return None

    def _shifted(self, here: Fraction, there: Fraction, most: int = 16) -> Size | None:
        """Any product or quotient of axes, and a small constant: ``(image // patch)**2 + 1``."""
        for offset in sorted(range(-most, most + 1), key=abs):
            if here - offset <= 0 or (here - offset).denominator != 1:
                continue
            powers, rest = self._powers(int(here - offset))
            if powers and self._at_check(powers) * rest == there - offset:
                return self._size(powers, rest) + offset
        return None

    def _line(
        self, here: Fraction, there: Fraction, powers: Mapping[str, int]
    ) -> tuple[Fraction, Fraction] | None:
        """``a`` and ``b`` with ``a * monomial + b`` at both sizes, if a is simple and b small."""
        run = self._at(self.labels.values, powers) - self._at(self.check, powers)
        if run == 0:
            return None
        slope = (here - there) / run
        offset = here - slope * self._at(self.labels.values, powers)
        if slope <= 0 or slope.denominator % offset.denominator:
            return None
        plain = slope in _SIMPLE and abs(offset) <= _LARGEST_OFFSET
        scaled = slope.denominator == 1 and offset % slope == 0 and abs(offset / slope) <= 16
        return (slope, offset) if plain or scaled else None

    def _rounded(self, powers: Mapping[str, int], slope: Fraction, offset: Fraction) -> Size:
        """``(a * monomial + b) // c``, which is exact at the sizes it was read from."""
        if offset.denominator == 1:
            return self._size(powers, slope) + int(offset)
        above = self._size(powers, Fraction(slope.numerator))
        return floor_div(above + int(offset * slope.denominator), slope.denominator)

    def _monomials(self) -> list[dict[str, int]]:
        names = list(self.labels.primes)
        found: list[dict[str, int]] = [{n: 1} for n in names]
        found += [{n: 2} for n in names]
        found += [{a: 1, b: 1} for a, b in itertools.combinations(names, 2)]
        return found

    def _at(self, sizes: Mapping[str, int], powers: Mapping[str, int]) -> Fraction:
        value = Fraction(1)
        for name, power in powers.items():
            value *= Fraction(sizes[name]) ** power
        return value

    def _at_check(self, powers: Mapping[str, int]) -> Fraction:
        return self._at(self.check, powers)

    def _size(self, powers: Mapping[str, int], scale: Fraction) -> Size:
        """``scale * monomial``; what is divided by becomes a floor, which is exact where it divides."""
        above: Size = scale.numerator
        below: Size = scale.denominator
        for name, power in powers.items():
            for _ in range(abs(power)):
                if power > 0:
                    above = above * axis(name)
                else:
                    below = below * axis(name)
        return floor_div(above, below)


def _length(slope: Fraction, offset: Fraction) -> Fraction:
    """How much there is to say of ``slope * size + offset``: of two readings the shorter one is meant."""
    return abs(offset) + slope.numerator + slope.denominator


def _multiplicity(size: int, prime: int) -> int:
    count = 0
    while size and size % prime == 0:
        size, count = size // prime, count + 1
    return count
