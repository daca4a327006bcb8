"""Whether two sizes are equal: the one question a checker asks, answered yes, no or *cannot tell*.

>>> from typedtorch.shapes.size import axis, unknown
>>> b, s, d = axis("batch"), axis("seq"), axis("d_model")
>>> same(b, s), same(b, b), same(d, 512), same(d, unknown())
(False, True, None, None)
"""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TypeAlias

from typedtorch.shapes.bounds import are_multiples
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
    is_counted,
    substitute,
    without_common,
)


def same(a: Size, b: Size) -> bool | None:
    """Equal (True), different whatever the author meant (False), or undecided (None).

    Names of axes are generic: ``b`` and ``s`` differ, because an annotation claims every size.  A
    name may be tied to a number, or to an expression in other names, by something the annotation
    does not say (``c`` and ``3``, ``d_model`` and ``heads*head_dim``, ``half`` and ``d//2``):
    undecided.  An integer of the program may coincide with anything.

    >>> from typedtorch.shapes.size import axis
    >>> b, s, d, h = axis("b"), axis("s"), axis("d"), axis("h")
    >>> same(b * s, b * d), same(d, 2 * d), same(s + 1, s), same(d, h * s), same(d // h, d), same(d, 3)
    (False, False, False, None, False, None)
    """
    if a is b or a == b:
        return True
    if _holding:
        a, b = substitute(a, _holding[-1]), substitute(b, _holding[-1])
    difference = a - b
    choices = _choices(difference)
    if choices:
        return _same_either_way(a, b, choices)
    verdict = _different(difference)
    if verdict is False and _mentioned and not _linked_against_axes(difference) <= _mentioned[-1]:
        verdict = None
    if verdict is False and _coinciding and _coinciding[-1](a, b):
        verdict = None
    if verdict is None:
        told = (a, b) in _distinct or are_multiples(a, b) or _some_of(*without_common(a, b))
        if told or _inside(a, b) or _inside(b, a):
            return False
        observe(a, b)
    return verdict


@lru_cache(maxsize=65536)
def _choices(difference: Size) -> tuple[Atom, ...]:
    """The sizes in a difference that are one of a few."""
    return tuple(sorted(a for a in atoms(difference) if a.operands and a.kind != "floor"))


def _same_either_way(a: Size, b: Size, choices: tuple[Atom, ...]) -> bool | None:
    """Certain where it is so whichever of its sizes each choice takes."""
    if len(choices) > MAX_CHOICES:
        return None
    verdicts = set()
    for taken in itertools.product(*(atom.operands for atom in choices)):
        values = dict(zip(choices, taken, strict=True))
        verdicts.add(same(substitute(a, values), substitute(b, values)))
    return verdicts.pop() if len(verdicts) == 1 else None


MAX_CHOICES = 3

_loose: list[bool] = []


@contextlib.contextmanager
def loosely() -> Iterator[None]:
    """Inside the block what a mask chose may be all there is: annotations of streams are not that exact."""
    _loose.append(True)
    try:
        yield
    finally:
        _loose.pop()


_holding: list[Mapping[Atom, Size]] = []


@contextlib.contextmanager
def holding(sizes: Mapping[Atom, Size]) -> Iterator[None]:
    """Inside the block an atom is the size that it was found to be."""
    _holding.append({**_holding[-1], **sizes} if _holding else sizes)
    try:
        yield
    finally:
        _holding.pop()


Pairs: TypeAlias = Callable[[Size, Size], bool]
_coinciding: list[Pairs] = []


@contextlib.contextmanager
def coinciding(which: Pairs) -> Iterator[None]:
    """Inside the block such two sizes may be one: who sets ``residual`` knows whether they are."""
    _coinciding.append(which)
    try:
        yield
    finally:
        _coinciding.pop()


_mentioned: list[frozenset[str]] = []


@contextlib.contextmanager
def mentioning(names: Iterable[str]) -> Iterator[None]:
    """Inside the block a linked integer differs from an axis only if the signature names it too.

    ``forward(x: "batch channels")`` may call its ``in_channels`` by another name.
    """
    _mentioned.append(frozenset(names))
    try:
        yield
    finally:
        _mentioned.pop()


@lru_cache(maxsize=65536)
def _linked_against_axes(difference: Size) -> frozenset[str]:
    """The linked integers in a comparison with axes of a signature."""
    found = atoms(difference)
    if not any(a.kind == "axis" and not a.scope for a in found):
        return frozenset()
    return frozenset(a.name for a in found if bare(a.scope) == LINKED_SCOPE)


_distinct: set[tuple[Size, Size]] = set()


@contextlib.contextmanager
def distinct(pairs: Iterable[tuple[Size, Size]]) -> Iterator[None]:
    """Inside the block these pairs of sizes, undecided by themselves, are different."""
    added = {pair for a, b in pairs for pair in ((a, b), (b, a))} - _distinct
    _distinct.update(added)
    try:
        yield
    finally:
        _distinct.difference_update(added)


@lru_cache(maxsize=65536)
def _inside(name: Size, expression: Size) -> bool:
    """Whether a bare name stands against an expression in it and other names, such as n - k + 1."""
    if isinstance(name, int) or isinstance(expression, int) or len(name.terms) != 1:
        return False
    if not _plain(*name.terms[0]) or not _rigid(name) or not name.atoms() <= expression.atoms():
        return False
    found = expression.atoms()
    if any(a.kind not in ("axis", "floor") for a in found):
        return False
    if not _one_scope({a.scope for a in found if a.kind == "axis"}):
        return False
    difference = name - expression
    return isinstance(difference, Poly) and not (only_rounding(difference) or _of_others(difference, name))


def _some_of(a: Size, b: Size) -> bool:
    """Whether one size counts what a mask chose, and the other all there was to choose from.

    Of an axis that may have any size it need not be all; where the number is known, a script may know better.
    """
    if _loose:
        return False
    for count, whole in ((a, b), (b, a)):
        if isinstance(whole, int):
            continue
        for atom in atoms(count) if is_counted(count) else ():
            if atom.whole == whole and count == as_poly(atom):
                return True
    return False


def _of_others(diff: Poly, name: Poly) -> bool:
    """Whether a difference vanishes where a product of others is a number: ``b*h*w//784``, 28 by 28."""
    cleared, _ = _clear_floors(diff)
    if not isinstance(cleared, Poly):
        return False
    rest = exact_div(cleared, common_factor(cleared, cleared))
    if not isinstance(rest, Poly) or name.atoms() <= rest.atoms():
        return False
    fits = any(not monomial and abs(coefficient) > 1 for monomial, coefficient in rest.terms)
    return fits and any(sum(power for _, power in monomial) > 1 for monomial, _ in rest.terms)


def only_rounding(diff: Size) -> bool:
    """Whether a difference is bounded by the divisors of its floors: 2*(n//2) against n."""
    if isinstance(diff, int):
        return False
    cleared, denominators = _clear_floors(diff)
    return cleared is not diff and (isinstance(cleared, int) or not cleared.atoms() - denominators)


_observers: list[Callable[[Size, Size], None]] = []


class _Observing:
    """Entered once for every operator of a program, where a generator would cost as much as many rules."""

    __slots__ = ("observer",)

    def __init__(self, observer: Callable[[Size, Size], None]) -> None:
        self.observer = observer

    def __enter__(self) -> None:
        _observers.append(self.observer)

    def __exit__(self, *_: object) -> None:
        _observers.pop()


def observing(observer: Callable[[Size, Size], None]) -> _Observing:
    """Call ``observer`` with every pair of sizes that ``same`` cannot decide inside the block."""
    return _Observing(observer)


@contextlib.contextmanager
def unobserved() -> Iterator[None]:
    """Inside the block nothing is observed: a rule is tried only to see what it would say."""
    outside, _observers[:] = list(_observers), []
    try:
        yield
    finally:
        _observers[:] = outside


def observe(a: Size, b: Size) -> None:
    """Tell the observers that two sizes have met: as they are, and without what they share."""
    for observer in _observers:
        observer(a, b)
    if not _observers:
        return
    difference = a - b
    if isinstance(difference, Poly) and len(difference.terms) == 2:
        rest = exact_div(difference, common_factor(difference, difference))
        if isinstance(rest, Poly) and len(rest.terms) == 2:
            (first, c1), (second, c2) = rest.terms
            if c1 * c2 < 0 and _plain(first, c1) and _plain(second, c2) and first and second:
                for observer in _observers:
                    observer(as_poly(first[0][0]), as_poly(second[0][0]))


def is_argument(size: Size) -> bool:
    """Whether a size is an integer that was passed: a parameter, or what an instance was made with."""
    if isinstance(size, int) or len(size.terms) != 1 or not _plain(*size.terms[0]):
        return False
    atom = size.terms[0][0][0][0]
    return atom.kind == "int" or (
        atom.kind == "axis" and bare(atom.scope) in (INTEGER_SCOPE, INSTANCE_SCOPE, LINKED_SCOPE)
    )


def is_name(size: Size) -> bool:
    """Whether a size is one axis or integer, by its name alone."""
    return (
        isinstance(size, Poly) and len(size.terms) == 1 and bool(size.terms[0][0]) and _plain(*size.terms[0])
    )


def generic(size: Size) -> bool:
    """Whether a size is made of numbers and generic axes alone."""
    return all(atom.kind == "axis" for atom in atoms(size))


def name_against_number(a: Size, b: Size) -> bool:
    """Whether one size is made of generic axes and the other a number, which may be tied unsaid."""
    a, b = (b, a) if isinstance(a, int) else (a, b)
    if not isinstance(b, int) or isinstance(a, int):
        return False
    return all(
        atom.kind == "floor" or (atom.kind == "axis" and bare(atom.scope) in ("", LINKED_SCOPE, HELD_SCOPE))
        for atom in a.atoms()
    )


INTEGER_SCOPE = "int"  # int parameters of one function: generic among themselves
INSTANCE_SCOPE = "self"  # integers of one instance: likewise
HELD_SCOPE = "held"  # axes of the tensors an instance was constructed with: likewise
DEFAULTED = "="  # and the number end the scope of an integer with a default: it may be that number
GIVEN_SCOPE = "given"  # an axis of a signature as a call binds it, for observers
STATED_SCOPE = "stated"  # an axis that an assert says is a number, for observers
LINKED_SCOPE = "linked"  # integers of an instance that are axes of its methods: in both scopes


def bare(scope: str) -> str:
    """A scope without what an integer of it defaults to."""
    return scope.partition(DEFAULTED)[0]


@lru_cache(maxsize=65536)
def _different(diff: Size) -> bool | None:
    """Whether a difference is certainly zero (True) or certainly not (False)."""
    if isinstance(diff, int):
        return diff == 0
    cleared, denominators = _clear_floors(diff)
    if isinstance(cleared, int):
        # x // 2 against (x + 1) // 2: equal for some sizes, not for others
        return None
    if cleared is not diff and not cleared.atoms() - denominators:
        return None  # a difference bounded by the divisors is only a rounding
    verdict = _nonzero(cleared)
    if verdict is False and cleared is not diff and any(size == 0 for size in _rounded(diff)):
        return None  # 2*(k // 2) + 1 is k for every odd k
    return verdict


MAX_ROUNDED = 16


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
        return False if _rigid(diff) else None
    rest = exact_div(diff, common_factor(diff, diff))
    if not isinstance(rest, Poly) or not _rigid(rest):
        return None
    if len({c > 0 for _, c in rest.terms}) == 1:
        return False
    if len(rest.terms) > 2:
        return False if _one_only(rest) or _one_only(0 - rest) else None
    (first, c1), (second, c2) = rest.terms
    if not all(_plain(m, c) for m, c in ((first, c1), (second, c2))):
        return None
    constant = next((abs(c) for m, c in rest.terms if not m), None)
    if constant is None:
        return False
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


def _plain(monomial: Monomial, coefficient: int) -> bool:
    """A name alone, or a number."""
    return not monomial or (len(monomial) == 1 and monomial[0][1] == 1 and abs(coefficient) == 1)


def _rigid(size: Poly) -> bool:
    """All names generic, and of one scope; one anonymous axis (``_``) may stand among named ones.

    A linked axis is of the signature's scope and of the instance's.
    """
    found = size.atoms()
    if any(a.kind != "axis" for a in found):
        return False
    return _one_scope({a.scope for a in found})


def _one_scope(scopes: set[str]) -> bool:
    scopes = {bare(s) for s in scopes}
    if len(scopes) == 1:
        return True
    if LINKED_SCOPE in scopes:
        return scopes <= {LINKED_SCOPE, ""} or scopes <= {LINKED_SCOPE, INSTANCE_SCOPE}
    anonymous = {s for s in scopes if s.startswith("_")}
    return len(anonymous) == 1 and scopes - anonymous == {""}


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
