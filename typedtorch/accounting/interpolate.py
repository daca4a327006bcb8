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


def degree(points: Sequence[int], values: Sequence[Size]) -> int | None:
    """The degree of the polynomial through the points; None where none goes through with one to spare.

    >>> points = [2, 3, 4, 5]
    >>> degree(points, [7 * k * k + 3 for k in points]), degree(points, [2**k for k in points])
    (2, None)
    """
    found = len(_differences(points, values)) - 1
    return None if found + 1 >= len(points) or found > _HIGHEST else max(found, 0)


def through(name: str, points: Sequence[int], values: Sequence[Size]) -> Size:
    """The polynomial in ``name`` of lowest degree through the points; coefficients may hold other axes.

    >>> b, n = axis("b"), axis("n")
    >>> through("n", [2, 3, 4, 5], [b * k * k + 3 for k in (2, 3, 4, 5)])
    b*n**2 + 3
    >>> through("n", [2, 3, 4], [k * (k - 1) // 2 for k in (2, 3, 4)])
    (n**2 - n)//2
    """
    return _newton(axis(name), points, _differences(points, values))


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
