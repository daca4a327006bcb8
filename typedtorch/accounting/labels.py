"""Prime labels: give every axis a size no other can be mistaken for, and read sizes back as polynomials.

A size seen while the program runs at the labels is factored into them; what the factors leave must be
a constant, or a constant plus one monomial (``seq + 1``).  Every reading is checked against the same
size in a second run at other sizes, so a coincidence in one of them cannot pass.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from typedtorch.accounting.errors import SymbolError
from typedtorch.shapes.size import Size, axis, floor_div

_PRIMES = [p for p in range(11, 4000) if all(p % q for q in range(2, int(p**0.5) + 1))]
_SIMPLE = sorted({Fraction(a, b) for a in range(1, 13) for b in (1, 2, 3, 4, 6, 8, 12, 16, 32, 64)})


@dataclass(frozen=True)
class Labels:
    """``values`` are the sizes axes get; ``primes`` the prime of each that no other label starts from.

    A label may be a multiple of another (``d_model`` of ``heads``): ``within`` says of which.
    """

    values: Mapping[str, int]
    primes: Mapping[str, int]
    within: Mapping[str, str] = field(default_factory=dict)

    def order(self) -> list[str]:
        """Multiples first, so that what they contain is taken out before the rest is counted."""
        return sorted(self.values, key=lambda name: name not in self.within)


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
    sizes: Mapping[str, int | None],
    *,
    small: frozenset[str] = frozenset(),
    within: Mapping[str, str] | None = None,
    avoid: Iterable[int] = (),
    rough: bool = False,
    alike: bool = False,
    tiny: bool = False,
    part: int = 64,
    turn: int = 0,
) -> Labels:
    """Labels for axes of these sizes (None where unknown).

    ``small`` axes get a label no larger than their size; ``rough`` labels keep no divisors, ``alike`` ones
    leave the remainder of the size when divided by 64, so that halves are rounded as its are; those of
    unknown sizes divide by ``part``, ``tiny`` ones are the least there are; ``turn`` 1, 2, ... give further
    sets that share no prime with the first.
    """
    taken = {p for p in _PRIMES for n in avoid if n % p == 0}
    values: dict[str, int] = {}
    primes: dict[str, int] = {}
    least = 3 if tiny else 32
    supply = iter(
        [p for p in (3, 5, 7, *_PRIMES) if p not in taken and p >= least][turn * (len(sizes) + 1) :]
    )
    ties = dict(within or {})
    for name in sorted(sizes, key=lambda n: n in ties):
        size = sizes[name]
        factor = 1 if rough or tiny else (part if size is None else smooth_part(size))
        if name in small and size is not None:
            factor, prime = _largest(size, set(primes.values()), turn)
        elif alike and size is not None:
            factor, prime = _alike(size, taken | set(primes.values()), turn)
        else:
            prime = next(supply)
        primes[name] = prime
        values[name] = factor * prime * (values[ties[name]] if name in ties else 1)
    return Labels(values, primes, ties)


def _alike(size: int, taken: set[int], turn: int) -> tuple[int, int]:
    """A power of two and a prime whose product leaves what the size leaves, divided by 64.

    >>> [a * p % 64 for a, p in (_alike(225, set(), 0), _alike(200, set(), 1), _alike(128, set(), 0))]
    [33, 8, 0]
    """
    factor = min(size & -size, 64)
    wanted = size // factor % (64 // factor)
    alike = [p for p in _PRIMES if p > 31 and p not in taken and p % (64 // factor) == wanted]
    return factor, alike[(turn * len(taken) + turn) % len(alike)]


def _largest(size: int, taken: set[int], turn: int) -> tuple[int, int]:
    """The largest free prime below a size; another one for a second and a third set where there are more.

    Raises:
        SymbolError: no prime is left.
    """
    free = [p for p in (2, 3, 5, 7, *_PRIMES) if p < size and p not in taken]
    if free:
        return 1, free[-1 - min(turn, len(free) - 1)]
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
        counts = {name: _multiplicity(size, self.labels.primes[name]) for name in self._order}
        powers: dict[str, int] = {}
        rest = Fraction(size)
        for name in self._order:
            inside = sum(p for n, p in powers.items() if self.labels.within.get(n) == name)
            power = counts[name] - inside
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
        for one in monomials:
            line = self._line(here, there, one)
            if line is not None:
                return self._size(factor, Fraction(1)) * self._rounded(one, *line)
        for one, two in itertools.permutations(monomials, 2):
            for scale in (Fraction(1), Fraction(2), Fraction(3)):
                less = here - scale * self._at(self.labels.values, two)
                if less <= 0:
                    continue
                line = self._line(less, there - scale * self._at(self.check, two), one)
                if line is not None and line[1].denominator == 1 and abs(line[1]) <= 2:
                    both = self._size(one, line[0]) + self._size(two, scale)
                    return self._size(factor, Fraction(1)) * (both + int(line[1]))
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
        plain = slope in _SIMPLE and abs(offset) <= 16
        scaled = slope.denominator == 1 and offset % slope == 0 and abs(offset / slope) <= 16
        return (slope, offset) if plain or scaled else None

    def _rounded(self, powers: Mapping[str, int], slope: Fraction, offset: Fraction) -> Size:
        """``(a * monomial + b) // c``, which is exact at the sizes it was read from."""
        if offset.denominator == 1:
            return self._size(powers, slope) + int(offset)
        above = self._size(powers, Fraction(slope.numerator))
        return floor_div(above + int(offset * slope.denominator), slope.denominator)

    def _monomials(self) -> list[dict[str, int]]:
        names = list(self.labels.values)
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


def _multiplicity(size: int, prime: int) -> int:
    count = 0
    while size and size % prime == 0:
        size, count = size // prime, count + 1
    return count
