"""Sizes: exact integer polynomials in named axes.

A size is an ``int`` or a :class:`Poly`; both support ``+ - * //`` so a rule written for
numbers works unchanged on names.  A polynomial is kept in canonical form, so equal sizes are
equal objects, and :func:`same` answers the only question a checker asks: equal, different,
or *cannot tell* (``None``).

>>> b, s, d = axis("batch"), axis("seq"), axis("d_model")
>>> 2 * b * s * d
2*batch*d_model*seq
>>> (b * d) // d == b
True
>>> same(b, s), same(b, b), same(d, 512), same(d, unknown())
(False, True, None, None)
"""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import ClassVar, Literal, TypeAlias

Kind = Literal["axis", "int", "opaque", "floor"]

_serial = itertools.count()


class Atom:
    """An indivisible size.  Interned: the same (kind, name, operands, scope) is the same object.

    ``axis``: a name in an annotation, generic: it claims every value, so two names of one scope
    differ (a signature is a scope; so is one instance of a dataclass).
    ``int``: an integer of the program whose value is not known (a parameter, an attribute).
    ``opaque``: nothing is known.  ``floor``: ``operands[0] // operands[1]`` that is not exact.
    """

    __slots__ = ("_key", "kind", "name", "operands", "scope")
    _interned: ClassVar[dict[tuple[str, str, tuple[Size, ...], str], Atom]] = {}

    kind: Kind
    name: str
    operands: tuple[Size, ...]
    scope: str
    _key: tuple[str, str, str]

    def __new__(cls, kind: Kind, name: str, operands: tuple[Size, ...] = (), scope: str = "") -> Atom:
        key = (kind, name, operands, scope)
        found = cls._interned.get(key)
        if found is None:
            found = object.__new__(cls)
            found.kind, found.name, found.operands, found.scope = kind, name, operands, scope
            found._key = (name, kind, f"{operands} {scope}")
            cls._interned[key] = found
        return found

    def __repr__(self) -> str:
        return self.name

    def __lt__(self, other: Atom) -> bool:
        return self._key < other._key

    def __reduce__(self) -> tuple[type[Atom], tuple[Kind, str, tuple[Size, ...], str]]:
        return Atom, (self.kind, self.name, self.operands, self.scope)


Monomial: TypeAlias = tuple[tuple[Atom, int], ...]


class Poly:
    """A polynomial that is not a constant (constants are plain ``int``)."""

    __slots__ = ("_hash", "terms")
    terms: tuple[tuple[Monomial, int], ...]

    def __init__(self, terms: tuple[tuple[Monomial, int], ...]) -> None:
        self.terms = terms
        self._hash = hash(terms)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Poly) and self._hash == other._hash and self.terms == other.terms
        )

    def __add__(self, other: Size) -> Size:
        if isinstance(other, (int, Poly)):
            return _add(self, other)
        return NotImplemented

    __radd__ = __add__

    def __neg__(self) -> Size:
        return _mul(self, -1)

    def __sub__(self, other: Size) -> Size:
        if isinstance(other, (int, Poly)):
            return _add(self, _mul(other, -1))
        return NotImplemented

    def __rsub__(self, other: int) -> Size:
        return _add(other, _mul(self, -1))

    def __mul__(self, other: Size) -> Size:
        if isinstance(other, (int, Poly)):
            return _mul(self, other)
        return NotImplemented

    __rmul__ = __mul__

    def __pow__(self, power: int) -> Size:
        result: Size = 1
        for _ in range(power):
            result = result * self
        return result

    def __floordiv__(self, other: Size) -> Size:
        return floor_div(self, other)

    def __rfloordiv__(self, other: int) -> Size:
        return floor_div(other, self)

    def __mod__(self, other: Size) -> Size:
        if divides(other, self):
            return 0
        return self - other * floor_div(self, other)

    def __rmod__(self, other: int) -> Size:
        return unknown(f"{other} % {_wrap(self)}")

    def __repr__(self) -> str:
        return _format(self)

    def atoms(self) -> set[Atom]:
        """Every atom that occurs, operands of floors included."""
        found: set[Atom] = set()
        for monomial, _ in self.terms:
            for atom, _power in monomial:
                found.add(atom)
                for operand in atom.operands:
                    found |= atoms(operand)
        return found


Size: TypeAlias = int | Poly


def _from_dict(terms: dict[Monomial, int]) -> Size:
    kept = {m: c for m, c in terms.items() if c}
    if not kept:
        return 0
    if len(kept) == 1 and () in kept:
        return kept[()]
    return Poly(tuple(sorted(kept.items(), key=_term_order)))


def _term_order(term: tuple[Monomial, int]) -> tuple[int, list[tuple[tuple[str, str, str], int]]]:
    monomial, _ = term
    return -sum(p for _, p in monomial), [(a._key, p) for a, p in monomial]


def _terms(size: Size) -> tuple[tuple[Monomial, int], ...]:
    if isinstance(size, int):
        return (((), size),) if size else ()
    return size.terms


@lru_cache(maxsize=65536)
def _add(a: Size, b: Size) -> Size:
    total = dict(_terms(a))
    for monomial, coefficient in _terms(b):
        total[monomial] = total.get(monomial, 0) + coefficient
    return _from_dict(total)


@lru_cache(maxsize=65536)
def _mul(a: Size, b: Size) -> Size:
    total: dict[Monomial, int] = {}
    for (m1, c1), (m2, c2) in itertools.product(_terms(a), _terms(b)):
        powers = dict(m1)
        for atom, power in m2:
            powers[atom] = powers.get(atom, 0) + power
        monomial = tuple(sorted(powers.items()))
        total[monomial] = total.get(monomial, 0) + c1 * c2
    return _from_dict(total)


def _as_poly(atom: Atom) -> Poly:
    return Poly(((((atom, 1),), 1),))


@lru_cache(maxsize=8192)
def axis(name: str, scope: str = "") -> Poly:
    """The size of a named axis of an annotation; names of different scopes may coincide."""
    return _as_poly(Atom("axis", name, (), scope))


@lru_cache(maxsize=8192)
def integer(name: str) -> Poly:
    """An integer of the program (a parameter, an attribute) with no known value."""
    return _as_poly(Atom("int", name))


def unknown(name: str | None = None) -> Poly:
    """A size nothing is known about; without a name, a fresh one."""
    return _as_poly(Atom("opaque", name if name is not None else f"?{next(_serial)}"))


def atoms(size: Size) -> set[Atom]:
    return set() if isinstance(size, int) else size.atoms()


def is_unknown(size: Size) -> bool:
    """True where a size involves something nothing is known about."""
    return any(atom.kind == "opaque" for atom in atoms(size))


def divides(divisor: Size, size: Size) -> bool:
    """Whether the division is exact as polynomials."""
    return _exact_div(size, divisor) is not None


@lru_cache(maxsize=65536)
def _exact_div(size: Size, divisor: Size) -> Size | None:
    """Polynomial long division by one leading term; None if there is a remainder."""
    if divisor == 0:
        return None
    if isinstance(size, int) and isinstance(divisor, int):
        return size // divisor if size % divisor == 0 else None
    lead_m, lead_c = _terms(divisor)[0]
    quotient: Size = 0
    rest: Size = size
    for _ in range(32):
        if rest == 0:
            return quotient
        term = _divide_term(_terms(rest)[0], (lead_m, lead_c))
        if term is None:
            return None
        quotient = quotient + term
        rest = rest - term * divisor
    return None


def _divide_term(term: tuple[Monomial, int], by: tuple[Monomial, int]) -> Size | None:
    powers = dict(term[0])
    for atom, power in by[0]:
        left = powers.get(atom, 0) - power
        if left < 0:
            return None
        powers[atom] = left
    if term[1] % by[1]:
        return None
    monomial = tuple(sorted((a, p) for a, p in powers.items() if p))
    return _from_dict({monomial: term[1] // by[1]})


@lru_cache(maxsize=65536)
def floor_div(size: Size, divisor: Size) -> Size:
    """``size // divisor``: exact where it divides, otherwise a ``floor`` atom."""
    if isinstance(size, int) and isinstance(divisor, int):
        return size // divisor if divisor else unknown()
    exact = _exact_div(size, divisor)
    if exact is not None:
        return exact
    common = _common_factor(size, divisor)
    if common != 1:
        return floor_div(_exact_div(size, common) or 0, _exact_div(divisor, common) or 1)
    if isinstance(divisor, int) and divisor > 0 and isinstance(size, Poly):
        # (k*a + r) // k == a + r // k for every integer polynomial a
        whole = {m: c // divisor for m, c in size.terms if m and c % divisor == 0}
        if whole:
            part = _from_dict(whole)
            return part + floor_div(size - divisor * part, divisor)
    return _as_poly(Atom("floor", f"{_wrap(size)}//{_wrap(divisor)}", (size, divisor)))


def _common_factor(a: Size, b: Size) -> Size:
    """The largest monomial that divides both: (b*s*d) // (b*s*h) is d // h."""
    terms = (*_terms(a), *_terms(b))
    coefficient = math.gcd(*(c for _, c in terms))
    powers = dict(terms[0][0]) if terms else {}
    for monomial, _ in terms[1:]:
        have = dict(monomial)
        powers = {x: min(p, have[x]) for x, p in powers.items() if x in have}
    return _from_dict({tuple(sorted(powers.items())): coefficient or 1})


def without_common(a: Size, b: Size) -> tuple[Size, Size]:
    """Two sizes without the factor they share, where both are not zero: b*d and b*h are d and h."""
    if isinstance(a, int) or isinstance(b, int):
        return a, b
    common = _common_factor(a, b)
    return (a, b) if common == 1 else (_exact_div(a, common) or a, _exact_div(b, common) or b)


def size_max(*sizes: Size) -> Size:
    """The larger; unknown where it depends on the names."""
    if all(isinstance(s, int) for s in sizes):
        return max(s for s in sizes if isinstance(s, int))
    first = sizes[0]
    return first if all(s == first for s in sizes) else unknown()


def size_min(*sizes: Size) -> Size:
    """The smaller; unknown where it depends on the names."""
    if all(isinstance(s, int) for s in sizes):
        return min(s for s in sizes if isinstance(s, int))
    first = sizes[0]
    return first if all(s == first for s in sizes) else unknown()


def product(sizes: Iterable[Size]) -> Size:
    result: Size = 1
    for size in sizes:
        result = result * size
    return result


def same(a: Size, b: Size) -> bool | None:
    """Equal (True), different whatever the author meant (False), or undecided (None).

    Names of axes are generic: ``b`` and ``s`` differ, because an annotation claims every size.  A
    name may be tied to a number, or to an expression in other names, by something the annotation
    does not say (``c`` and ``3``, ``d_model`` and ``heads*head_dim``, ``half`` and ``d//2``):
    undecided.  An integer of the program may coincide with anything.

    >>> b, s, d, h = axis("b"), axis("s"), axis("d"), axis("h")
    >>> same(b * s, b * d), same(d, 2 * d), same(s + 1, s), same(d, h * s), same(d // h, d), same(d, 3)
    (False, False, False, None, False, None)
    """
    if a is b or a == b:
        return True
    difference = a - b
    verdict = _different(difference)
    if verdict is False and _mentioned and not _linked_against_axes(difference) <= _mentioned[-1]:
        verdict = None
    if verdict is None:
        if _inside(a, b) or _inside(b, a) or (a, b) in _distinct:
            return False
        observe(a, b)
    return verdict


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
    return frozenset(a.name for a in found if a.scope.rstrip(DEFAULTED) == LINKED_SCOPE)


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
    return isinstance(difference, Poly) and not _only_rounding(difference)


def _only_rounding(diff: Poly) -> bool:
    """Whether a difference is bounded by the divisors of its floors: 2*(n//2) against n."""
    cleared, denominators = _clear_floors(diff)
    return cleared is not diff and (isinstance(cleared, int) or not cleared.atoms() - denominators)


_observers: list[Callable[[Size, Size], None]] = []


@contextlib.contextmanager
def observing(observer: Callable[[Size, Size], None]) -> Iterator[None]:
    """Call ``observer`` with every pair of sizes that ``same`` cannot decide inside the block."""
    _observers.append(observer)
    try:
        yield
    finally:
        _observers.pop()


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
        rest = _exact_div(difference, _common_factor(difference, difference))
        if isinstance(rest, Poly) and len(rest.terms) == 2:
            (first, c1), (second, c2) = rest.terms
            if c1 * c2 < 0 and _plain(first, c1) and _plain(second, c2) and first and second:
                for observer in _observers:
                    observer(_as_poly(first[0][0]), _as_poly(second[0][0]))


def generic(size: Size) -> bool:
    """Whether a size is made of numbers and generic axes alone."""
    return all(atom.kind == "axis" for atom in atoms(size))


def name_against_number(a: Size, b: Size) -> bool:
    """Whether one size is made of generic axes and the other a number, which may be tied unsaid."""
    a, b = (b, a) if isinstance(a, int) else (a, b)
    if not isinstance(b, int) or isinstance(a, int):
        return False
    return all(
        atom.kind == "floor" or (atom.kind == "axis" and atom.scope.rstrip(DEFAULTED) in ("", LINKED_SCOPE))
        for atom in a.atoms()
    )


INTEGER_SCOPE = "int"  # int parameters of one function: generic among themselves
INSTANCE_SCOPE = "self"  # integers of one instance: likewise
DEFAULTED = "="  # ends the scope of an integer with a default: it may be the number it defaults to
GIVEN_SCOPE = "given"  # an axis of a signature as a call binds it, for observers
LINKED_SCOPE = "linked"  # integers of an instance that are axes of its methods: in both scopes


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
    return _nonzero(cleared)


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
    rest = _exact_div(diff, _common_factor(diff, diff))
    if not isinstance(rest, Poly) or not _rigid(rest):
        return None
    if len({c > 0 for _, c in rest.terms}) == 1:
        return False
    if len(rest.terms) > 2:
        return None
    (first, c1), (second, c2) = rest.terms
    if not all(_plain(m, c) for m, c in ((first, c1), (second, c2))):
        return None
    constant = next((abs(c) for m, c in rest.terms if not m), None)
    if constant is None:
        return False
    if {a.scope for a in rest.atoms()} <= {INSTANCE_SCOPE, LINKED_SCOPE}:
        return False  # an instance is made with every size, and this number fits one of them
    # b*d against d is one b too many; but d against 3 may be a name that says too little
    return False if constant == 1 and rest != diff else None


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
    scopes = {s.rstrip(DEFAULTED) for s in scopes}
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
        rest = _from_dict({tuple(sorted(powers.items())): coefficient})
        scale: Size = 1
        for _ in range(power):
            scale = scale * numerator
        for _ in range(highest - power):
            scale = scale * denominator
        total = total + rest * scale
    return total


def substitute(size: Size, values: Mapping[Atom, Size] | Callable[[Atom], Size | None]) -> Size:
    """Replace atoms, also inside floors; atoms without a value stay."""
    if isinstance(size, int):
        return size
    look = values if callable(values) else values.get
    total: Size = 0
    for monomial, coefficient in size.terms:
        term: Size = coefficient
        for atom, power in monomial:
            value = look(atom)
            if value is None:
                if atom.kind == "floor":
                    value = floor_div(*(substitute(o, values) for o in atom.operands))
                else:
                    value = _as_poly(atom)
            for _ in range(power):
                term = term * value
        total = total + term
    return total


def evaluate(size: Size, sizes: Mapping[str, int]) -> int:
    """The number at the given sizes by name.

    Raises:
        KeyError: a name has no size.

    >>> evaluate(2 * axis("b") + axis("d") // 3, {"b": 5, "d": 7})
    12
    """
    result = substitute(size, lambda a: None if a.kind == "floor" else sizes[a.name])
    if not isinstance(result, int):
        raise TypeError(f"{size} is not a number at {dict(sizes)}")
    return result


def _wrap(size: Size) -> str:
    text = str(size)
    return f"({text})" if any(c in text for c in "+-*/ ") else text


def _format(poly: Poly) -> str:
    parts: list[str] = []
    for monomial, coefficient in poly.terms:
        factors = []
        for atom, power in monomial:
            alone = len(monomial) == 1 and power == 1 and coefficient == 1
            name = f"({atom.name})" if atom.kind == "floor" and not alone else atom.name
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
