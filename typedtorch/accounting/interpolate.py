"""A polynomial in one more axis, from what a figure is at several of its sizes.

Where other operators run at another size (a loop over the axis, a number of layers) no single trace holds
the axis as a letter, yet the figure is a polynomial in it: it is read off its values at small sizes.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from typedtorch.shapes.size import Poly, Size, axis, floor_div

_HIGHEST = 4
_PERIODS = (2, 3, 4, 5, 6)


@dataclass(frozen=True)
class Along:
    """What a figure is along one axis: a polynomial of some degree, on its own for every remainder of
    a division by ``period``.
    """

    degree: int
    period: int = 1

    @property
    def points(self) -> int:
        """How many sizes, one after the other, settle it."""
        return self.degree + 1 if self.period == 1 else self.period + 1


def along(points: Sequence[int], values: Sequence[Size]) -> Along | None:
    """How a figure goes through these points; None where that is not seen with points to spare.

    >>> points = [3, 4, 5, 6, 7]
    >>> along(points, [7 * k * k + 3 for k in points]), along(points, [2**k for k in points])
    (Along(degree=2, period=1), None)
    >>> along(points, [5 * k + (k + 1) // 2 for k in points])
    Along(degree=1, period=2)
    """
    found = degree(points, values)
    if found is not None:
        return Along(found)
    if all(b == a + 1 for a, b in itertools.pairwise(points)):
        for period in _PERIODS:
            rise = [b - a for a, b in zip(values, values[period:], strict=False)]
            if len(rise) > period and all(r == rise[0] for r in rise):
                return Along(1, period)
    return None


def may_repeat(values: Sequence[Size]) -> bool:
    """Whether the figures rise by one of two steps: more of them may show a period.

    >>> may_repeat([1, 2, 3, 9, 10, 11]), may_repeat([1, 2, 4, 8, 16, 32])
    (True, False)
    """
    rises = [b - a for a, b in itertools.pairwise(values)]
    return len(set(rises)) == 2


def degree(points: Sequence[int], values: Sequence[Size]) -> int | None:
    """The degree of the polynomial through the points; None where none goes through with one to spare.

    >>> points = [2, 3, 4, 5]
    >>> degree(points, [7 * k * k + 3 for k in points]), degree(points, [2**k for k in points])
    (2, None)
    """
    found = len(_differences(points, values)) - 1
    return None if found + 1 >= len(points) or found > _HIGHEST else max(found, 0)


def through(name: str, points: Sequence[int], values: Sequence[Size], period: int = 1) -> Size:
    """The polynomial in ``name`` of lowest degree through the points; coefficients may hold other axes.

    With a ``period`` it is one line for each remainder, through as many points as there are, and one more.

    >>> b, n = axis("b"), axis("n")
    >>> through("n", [2, 3, 4, 5], [b * k * k + 3 for k in (2, 3, 4, 5)])
    b*n**2 + 3
    >>> through("n", [2, 3, 4], [k * (k - 1) // 2 for k in (2, 3, 4)])
    (n**2 - n)//2
    >>> through("n", [3, 4, 5], [b * k + 7 * (k // 2) for k in (3, 4, 5)], 2)
    b*n + 7*(n//2)
    """
    if period > 1:
        return _lines(name, points, values, period)
    return _newton(axis(name), points, _differences(points, values))


def _lines(name: str, points: Sequence[int], values: Sequence[Size], period: int) -> Size:
    """Equally steep lines, one for each remainder: sums of ``(n + k) // period``."""
    slope = values[period] - values[0]
    at = {
        point % period: value - slope * (point // period) for point, value in zip(points, values, strict=True)
    }
    steps: list[Size] = [floor_div(axis(name) + k, period) for k in range(period - 1)]
    steps.append(sum(steps, -axis(name)) * -1)  # all of them add up to n
    total = at[0] + slope * steps[0]
    for remainder in range(1, period):
        total = total + (at[remainder] - at[remainder - 1]) * (steps[period - remainder] - steps[0])
    return total


def _differences(points: Sequence[int], values: Sequence[Size]) -> list[dict[Size, Fraction]]:
    """Newton's divided differences, without the last ones that are zero."""
    table = [_terms(value) for value in values]
    differences: list[dict[Size, Fraction]] = [table[0]]
    for order in range(1, len(points)):
        table = [
            _scaled(_minus(table[i + 1], table[i]), Fraction(1, points[i + order] - points[i]))
            for i in range(len(table) - 1)
        ]
        differences.append(table[0])
    while differences and not differences[-1]:
        differences.pop()
    return differences


def _newton(x: Poly, points: Sequence[int], differences: Sequence[dict[Size, Fraction]]) -> Size:
    """Newton's form, multiplied out over a common denominator."""
    denominator = math.lcm(*(c.denominator for d in differences for c in d.values()))
    total: Size = 0
    basis: Size = 1
    for point, difference in zip(points, differences, strict=False):
        for monomial, coefficient in difference.items():
            total = total + int(coefficient * denominator) * monomial * basis
        basis = basis * (x - point)
    return floor_div(total, denominator)


def _terms(size: Size) -> dict[Size, Fraction]:
    """Coefficients by monomial."""
    if not isinstance(size, Poly):
        return {1: Fraction(size)} if size else {}
    return {Poly(((monomial, 1),)) if monomial else 1: Fraction(c) for monomial, c in size.terms}


def _minus(a: dict[Size, Fraction], b: dict[Size, Fraction]) -> dict[Size, Fraction]:
    found = {m: a.get(m, Fraction(0)) - b.get(m, Fraction(0)) for m in {**a, **b}}
    return {m: c for m, c in found.items() if c}


def _scaled(a: dict[Size, Fraction], by: Fraction) -> dict[Size, Fraction]:
    return {m: c * by for m, c in a.items()}
