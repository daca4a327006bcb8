"""A polynomial in sizes as a reader would write it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typedtorch.shapes.size import Monomial


def written(terms: Iterable[tuple[Monomial, int]]) -> str:
    """A sum of monomials with their coefficients, a positive one first."""
    parts: list[str] = []
    for monomial, coefficient in terms:
        factors = []
        for atom, power in monomial:
            alone = len(monomial) == 1 and power == 1 and coefficient == 1
            several = atom.kind in ("floor", "either")
            several = several or atom.name.startswith("*")  # one axis of a run: 2*(*batch) is no power
            name = f"({atom.name})" if several and not alone else atom.name
            factors.append(name if power == 1 else f"{name}**{power}")
        magnitude = abs(coefficient)
        if magnitude != 1 or not factors:
            factors.insert(0, str(magnitude))
        sign = "-" if coefficient < 0 else "+"
        parts.append(f"{sign} {'*'.join(factors)}")
    # a positive term first reads better: "seq - 1", not "- 1 + seq"
    parts.sort(key=lambda p: p.startswith("-"))
    text = " ".join(parts)
    return text[2:] if text.startswith("+ ") else "-" + text[2:]
