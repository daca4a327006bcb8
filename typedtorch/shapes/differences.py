"""Whether a difference of two sizes is zero, by its form alone.

>>> from typedtorch.shapes.size import axis
>>> b, d = axis("batch"), axis("d_model")
>>> vanishes(b - d), vanishes(d - 512), vanishes(2 * (d // 2) - d)
(False, None, None)
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

from typedtorch.shapes.scopes import DEFAULTED, INSTANCE_SCOPE, LINKED_SCOPE, one_scope
from typedtorch.shapes.size import (
    Atom,
    Monomial,
    Poly,
    Size,
    as_poly,
    atoms,
    common_factor,
    exact_div,
    from_dict,
    substitute,
)


@lru_cache(maxsize=65536)
def vanishes(diff: Size) -> bool | None:
    """Whether a difference is certainly zero (True) or certainly not (False)."""
    if isinstance(diff, int):
        return diff == 0
    cleared, denominators = _clear_floors(diff)
    if isinstance(cleared, int):
        # x // 2 against (x + 1) // 2: equal for some sizes, not for others
        return None
    if cleared is not diff and not cleared.atoms() - denominators:
        return None  # a difference bounded by the divisors is only a rounding
    if _has_square(cleared, denominators):
        return None
    verdict = _nonzero(cleared)
    if verdict is False and cleared is not diff and any(size == 0 for size in _rounded(diff)):
        return None  # 2*(k // 2) + 1 is k for every odd k
    if verdict is False and cleared is not diff and _at_multiples(diff) == 0:
        return None  # (((h - 1) // 2) // 2 + 1) * w against (h // 4) * w
    return verdict


def may_be_one(a: Size, b: Size) -> bool:
    """Whether two sizes are one for some values of their names.

    >>> from typedtorch.shapes.size import axis
    >>> n, d = axis("n"), axis("d")
    >>> may_be_one(n, d), may_be_one(2 * d, d), may_be_one(d + 1, d)
    (True, False, False)
    """
    difference = a - b
    if isinstance(difference, int):
        return difference == 0
    signs = {coefficient > 0 for _, coefficient in difference.terms}
    return len(signs) > 1 or any(atom.operands for atom in atoms(difference))


MAX_ROUNDED = 16
MAX_DIVIDED = 10**9
# far from each other, and no two pairs equally far, so that sums of some are no multiples of others by chance
_PRIMES = (1009, 1129, 1301, 1511, 1777, 2063, 2411, 2789, 3203, 3643, 4127, 4637)


def _at_multiples(diff: Poly) -> Size | None:
    """The difference where each size is a multiple of all that anything is divided by, as pictures are."""
    values = _multiples([*_within(diff)], _PRIMES)
    return None if values is None else substitute(diff, values)


def _multiples(found: list[Atom], primes: tuple[int, ...]) -> dict[Atom, Size] | None:
    """A size for each atom, all of them different multiples, so that no two sizes are equal by chance."""
    divisors = [atom.operands[1] for atom in found if atom.kind == "floor"]
    dividing = sorted({a for divisor in divisors for a in _within(divisor) if not a.operands})
    others = sorted({atom for atom in found if not atom.operands} - set(dividing))
    whole = math.prod(divisor for divisor in divisors if isinstance(divisor, int))
    if len(dividing) + len(others) > len(primes) or whole > MAX_DIVIDED:
        return None
    values: dict[Atom, Size] = {atom: whole * prime for atom, prime in zip(dividing, primes, strict=False)}
    many = math.prod(size for size in values.values() if isinstance(size, int)) * whole
    values |= {atom: many * prime for atom, prime in zip(others, reversed(primes), strict=False)}
    return values


@lru_cache(maxsize=65536)
def are_multiples(a: Size, b: Size) -> bool:
    """Whether one size is several times the other wherever everything divides: ``d`` and ``(d + 1)//2``.

    >>> from typedtorch.shapes.size import axis
    >>> c, h = axis("c"), axis("heads")
    >>> are_multiples(2 * c, 3 * h * (c // h)), are_multiples(c, h * (c // h)), are_multiples(c, c // h)
    (True, False, False)
    >>> are_multiples(c + h, h + 3)
    False
    """
    found = [*_within(a), *_within(b)]
    if isinstance(a, int) or isinstance(b, int) or any(x.kind not in ("axis", "int", "floor") for x in found):
        return False
    ratios = set()
    for primes in (_PRIMES, _PRIMES[3:] + _PRIMES[:3], _PRIMES[7:] + _PRIMES[:7]):
        values = _multiples(found, primes)
        first, second = (0, 0) if values is None else (substitute(a, values), substitute(b, values))
        if not (isinstance(first, int) and isinstance(second, int) and first > 0 < second):
            return False
        ratios.add(Fraction(first, second))
    return len(ratios) == 1 and ratios != {1}


def _within(size: Size) -> Iterator[Atom]:
    """The atoms of a size, and those inside its floors, each as often as it stands in one."""
    for atom in (
        {atom for monomial, _ in size.terms for atom, _ in monomial} if isinstance(size, Poly) else ()
    ):
        yield atom
        for operand in atom.operands:
            yield from _within(operand)


def _rounded(diff: Poly) -> Iterator[Size]:
    """A difference for every remainder its floors may leave, where they divide by small numbers."""
    found = [a for a in diff.atoms() if a.kind == "floor" and isinstance(a.operands[1], int)]
    if not found or math.prod(_divisor(a) for a in found) > MAX_ROUNDED:
        return
    for remainders in itertools.product(*(range(_divisor(a)) for a in found)):
        size: Size = diff
        for floor, remainder in zip(found, remainders, strict=True):
            if isinstance(size, Poly):
                size = _clear_floor(size, floor, floor.operands[0] - remainder, floor.operands[1])
        yield size


def _divisor(floor: Atom) -> int:
    divisor = floor.operands[1]
    return divisor if isinstance(divisor, int) else 1


def _clear_floors(diff: Poly) -> tuple[Size, set[Atom]]:
    """Replace each inexact floor n // k by n / k, multiplying through; and the atoms of the divisors."""
    denominators: set[Atom] = set()
    size: Size = diff
    while isinstance(size, Poly):
        floor = next((a for m, _ in size.terms for a, _p in m if a.kind == "floor"), None)
        if floor is None:
            break
        numerator, denominator = floor.operands
        denominators |= atoms(denominator)
        size = _clear_floor(size, floor, numerator, denominator)
    return size, denominators


def _nonzero(diff: Poly) -> bool | None:
    """False where the difference cannot vanish: the two sides, after what they share, are plain."""
    if len(diff.terms) == 1:
        may_be_zero = any(atom.scope.endswith(f"{DEFAULTED}0") for atom in diff.atoms())
        return False if _rigid(diff) and not may_be_zero else None
    rest = exact_div(diff, common_factor(diff, diff))
    if not isinstance(rest, Poly) or not _rigid(rest):
        return None
    if len({c > 0 for _, c in rest.terms}) == 1:
        return False
    if len(rest.terms) > 2:
        return False if _one_only(rest) or _one_only(0 - rest) else None
    (first, c1), (second, c2) = rest.terms
    if not all(plain(m, c) for m, c in ((first, c1), (second, c2))):
        return None
    constant = next((abs(c) for m, c in rest.terms if not m), None)
    if constant is None:
        return None if first[0][0].name == second[0][0].name else False  # of a method and of its object
    (scope,) = {a.scope for a in rest.atoms()}
    base, _, default = scope.partition(DEFAULTED)
    if base in (INSTANCE_SCOPE, LINKED_SCOPE) and (base == scope or default not in ("", str(constant))):
        return False  # an instance is made with every size, and this number fits one of them
    # b*d against d is one b too many; but d against 3 may be a name that says too little
    return False if constant == 1 and rest != diff else None


def _one_only(size: Size) -> bool:
    """Whether a size is 0 only where each of several names in it is 1, if at all: h*w - (h - 2)*(w - 2)."""
    names = atoms(size)
    above = substitute(size, lambda atom: 1 + as_poly(Atom("opaque", atom.name, (), atom.scope)))
    if len(names) < 2 or not isinstance(above, Poly) or not all(c > 0 for _, c in above.terms):
        return False
    return len({monomial[0][0] for monomial, _ in above.terms if len(monomial) == 1}) == len(names)


def plain(monomial: Monomial, coefficient: int) -> bool:
    """A name alone, or a number."""
    return not monomial or (len(monomial) == 1 and monomial[0][1] == 1 and abs(coefficient) == 1)


def _rigid(size: Poly) -> bool:
    """All names generic, and of one scope.

    Integers of two configurations, ``model.width`` and ``head.width``, are what one author makes them.
    """
    found = size.atoms()
    if any(a.kind != "axis" for a in found):
        return False
    owners = {a.name.rpartition(".")[0] for a in found} - {""}
    return len(owners) <= 1 and one_scope({a.scope for a in found})


def _clear_floor(diff: Poly, floor: Atom, numerator: Size, denominator: Size) -> Size:
    highest = max(dict(m).get(floor, 0) for m, _ in diff.terms)
    total: Size = 0
    for monomial, coefficient in diff.terms:
        powers = dict(monomial)
        power = powers.pop(floor, 0)
        rest = from_dict({tuple(sorted(powers.items())): coefficient})
        scale: Size = 1
        for _ in range(power):
            scale = scale * numerator
        for _ in range(highest - power):
            scale = scale * denominator
        total = total + rest * scale
    return total


@lru_cache(maxsize=65536)
def is_inside(name: Size, expression: Size) -> bool:
    """Whether a bare name stands against an expression in it and other names, such as n - k + 1."""
    if isinstance(name, int) or isinstance(expression, int) or len(name.terms) != 1:
        return False
    if not plain(*name.terms[0]) or not _rigid(name) or not name.atoms() <= expression.atoms():
        return False
    found = expression.atoms()
    if any(a.kind not in ("axis", "floor") for a in found):
        return False
    if not one_scope({a.scope for a in found if a.kind == "axis"}):
        return False
    difference = name - expression
    if not isinstance(difference, Poly) or only_rounding(difference) or _of_others(difference, name):
        return False
    return all(atom.kind == "axis" for atom in found) or _at_multiples(difference) != 0


def _of_others(diff: Poly, name: Poly) -> bool:
    """Whether a difference may vanish for a reason that is none of the name's: b*h*w//k for h*w of k."""
    cleared, denominators = _clear_floors(diff)
    if not isinstance(cleared, Poly):
        return False
    if _has_square(cleared, denominators):
        return True
    rest = exact_div(cleared, common_factor(cleared, cleared))
    return isinstance(rest, Poly) and not name.atoms() <= rest.atoms() and vanishes(rest) is not False


def may_be_square(diff: Size) -> bool:
    """Whether a divisor may be what it leaves: side against n // side, where n is a square."""
    return isinstance(diff, Poly) and _has_square(*_clear_floors(diff))


def _has_square(cleared: Size, denominators: set[Atom]) -> bool:
    terms = cleared.terms if isinstance(cleared, Poly) else ()
    return any(power > 1 and atom in denominators for monomial, _ in terms for atom, power in monomial)


def only_rounding(diff: Size) -> bool:
    """Whether a difference is bounded by the divisors of its floors: 2*(n//2) against n."""
    if isinstance(diff, int):
        return False
    cleared, denominators = _clear_floors(diff)
    return cleared is not diff and (isinstance(cleared, int) or not cleared.atoms() - denominators)
