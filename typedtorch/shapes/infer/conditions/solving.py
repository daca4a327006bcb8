"""Sizes that are found to be one: from there on one of them stands for the other."""

from __future__ import annotations

from functools import lru_cache

from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.proofs import Facts, together
from typedtorch.shapes.size import Atom, Poly, Size, atoms, substitute, unknown


def equate(frame: Frame, a: Size, b: Size) -> bool:
    """From here on two sizes are one.  False where they cannot be."""
    difference = a - b
    if isinstance(difference, int):
        return difference == 0
    frame.state.proven = together(frame.state.proven, (difference,))
    solved = solve(difference)
    if solved is not None:
        frame.state.equate(*solved)
    elif len(difference.terms) == 1:  # a product is 0: x.numel() == 0
        found = atoms(difference)
        for atom in found:
            frame.state.equate(atom, 0 if len(found) == 1 else unknown())
    # a layer that was made before has its sizes as they were
    frame.state.asked = (*frame.state.asked, (atoms(difference), True))
    return True


def prove(frame: Frame, facts: Facts) -> bool:
    """From here on some facts hold.  False where they cannot."""
    return all(equate(frame, fact, 0) for fact in facts)


@lru_cache(maxsize=4096)
def solved(facts: Facts) -> dict[Atom, Size]:
    """What names of sizes stand for where some facts hold."""
    sizes: dict[Atom, Size] = {}
    for fact in facts:
        left = substitute(fact, sizes)
        found = solve(left) if isinstance(left, Poly) else None
        if found is not None and found[0].kind in ("int", "axis"):
            sizes = {atom: substitute(size, dict([found])) for atom, size in sizes.items()} | dict([found])
    return sizes


_PREFERENCE = {"opaque": 0, "int": 1, "axis": 2, "floor": 3, "either": 4}


def solve(difference: Poly) -> tuple[Atom, Size] | None:
    """An atom that stands alone in ``difference == 0``, and what it must be."""
    candidates: list[tuple[int, str, Atom, int]] = []
    for monomial, coefficient in difference.terms:
        if len(monomial) == 1 and monomial[0][1] == 1 and abs(coefficient) == 1:
            atom = monomial[0][0]
            candidates.append((_PREFERENCE[atom.kind], atom.name, atom, coefficient))
    for _, _, atom, coefficient in sorted(candidates, key=lambda c: c[:2]):
        own = Poly(((((atom, 1),), 1),))
        rest = difference - own * coefficient
        if atom not in atoms(rest):
            return atom, rest * -coefficient
    return None
