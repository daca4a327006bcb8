"""A polynomial in one more axis, from what a figure is at several of its sizes.

Where other operators run at another size (a loop over the axis, a number of layers) no single trace holds
the axis as a letter, yet the figure is a polynomial in it: it is read off its values at small sizes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from typedtorch.shapes.size import Poly, Size, axis, floor_div

_HIGHEST = 4


def through(name: str, points: Sequence[int], values: Sequence[Size]) -> Size | None:
    """The polynomial in ``name`` through the points, if one of lower degree than they allow goes through all.

    At least one point is left over as a check; coefficients may hold other axes.

    >>> b, n = axis("b"), axis("n")
    >>> through("n", [2, 3, 4, 5], [b * k * k + 3 for k in (2, 3, 4, 5)])
    b*n**2 + 3
    >>> through("n", [2, 3, 4, 5], [k * (k - 1) // 2 for k in (2, 3, 4, 5)])
    (n**2 - n)//2
    >>> through("n", [2, 3, 4, 5], [2**k for k in (2, 3, 4, 5)]) is None
    True
    """
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
    if len(differences) >= len(points) or len(differences) > _HIGHEST + 1:
        return None
    return _newton(axis(name), points, differences)


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
