"""Sizes: exact integer polynomials in named axes.

A size is an ``int`` or a :class:`Poly`; both support ``+ - * //`` so a rule written for
numbers works unchanged on names.  A polynomial is kept in canonical form, so equal sizes are
equal objects.  Whether two of them are equal is asked of :mod:`typedtorch.shapes.equality`.

>>> b, s, d = axis("batch"), axis("seq"), axis("d_model")
>>> 2 * b * s * d
2*batch*d_model*seq
>>> (b * d) // d == b
True
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import ClassVar, Literal, TypeAlias

from typedtorch.shapes.written import written

Kind = Literal["axis", "int", "opaque", "floor", "either"]

_serial = itertools.count()


class Atom:
    """An indivisible size.  Interned: the same (kind, name, operands, scope, made_of) is the same object.

    ``axis``: a name in an annotation, generic: it claims every value, so two names of one scope
    differ (a signature is a scope; so is one instance of a dataclass).
    ``int``: an integer of the program whose value is not known (a parameter, an attribute).
    ``opaque``: nothing is known but that it is one of ``operands``, if there are any.
    ``floor``: ``operands[0] // operands[1]`` that is not exact.
    ``either``: one of two sizes; which one, an argument decides.
    """

    __slots__ = ("_key", "kind", "made_of", "name", "operands", "scope", "whole")
    _interned: ClassVar[dict[tuple[str, str, tuple[Size, ...], str, frozenset[Atom]], Atom]] = {}

    kind: Kind
    name: str
    operands: tuple[Size, ...]
    scope: str
    made_of: frozenset[Atom]  # of one that is only known to be computed: the sizes that it was computed of
    whole: Size | None  # of a count: how many there were to choose from
    _key: tuple[str, str, str] | None

    def __new__(
        cls,
        kind: Kind,
        name: str,
        operands: tuple[Size, ...] = (),
        scope: str = "",
        made_of: frozenset[Atom] = frozenset(),
    ) -> Atom:
        key = (kind, name, operands, scope, made_of)
        found = cls._interned.get(key)
        if found is None:
            found = object.__new__(cls)
            found.kind, found.name, found.operands, found.scope = kind, name, operands, scope
            found.made_of, found._key, found.whole = made_of, None, None
            cls._interned[key] = found
        return found

    @property
    def order(self) -> tuple[str, str, str]:
        """What atoms are sorted by."""
        if self._key is None:  # most are never compared with others
            self._key = (self.name, self.kind, f"{self.operands} {self.scope} {sorted(self.made_of)}")
        return self._key

    def __repr__(self) -> str:
        return self.name

    def __lt__(self, other: Atom) -> bool:
        return self.order < other.order

    def __reduce__(self) -> tuple[type[Atom], tuple[Kind, str, tuple[Size, ...], str, frozenset[Atom]]]:
        return Atom, (self.kind, self.name, self.operands, self.scope, self.made_of)


Monomial: TypeAlias = tuple[tuple[Atom, int], ...]


class Poly:
    """A polynomial that is not a constant (constants are plain ``int``)."""

    __slots__ = ("_atoms", "_hash", "terms")
    terms: tuple[tuple[Monomial, int], ...]

    def __init__(self, terms: tuple[tuple[Monomial, int], ...]) -> None:
        self.terms = terms
        self._hash = hash(terms)
        self._atoms: frozenset[Atom] | None = None

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
        left = from_dict({m: c for m, c in self.terms if not divides(other, from_dict({m: c}))})
        return left - other * floor_div(left, other)

    def __rmod__(self, other: int) -> Size:
        return unknown(f"{other} % {_wrap(self)}")

    def __repr__(self) -> str:
        return written(self.terms)

    def atoms(self) -> frozenset[Atom]:
        """Every atom that occurs, operands of floors included."""
        if self._atoms is None:
            found = {atom for monomial, _ in self.terms for atom, _power in monomial}
            self._atoms = frozenset(found).union(*(atoms(o) for atom in found for o in atom.operands))
        return self._atoms


Size: TypeAlias = int | Poly


def from_dict(terms: dict[Monomial, int]) -> Size:
    """The size that is this sum of monomials with their coefficients."""
    kept = {m: c for m, c in terms.items() if c}
    if not kept:
        return 0
    if len(kept) == 1:
        return kept[()] if () in kept else Poly(tuple(kept.items()))
    return Poly(tuple(sorted(kept.items(), key=_term_order)))


def _term_order(term: tuple[Monomial, int]) -> tuple[int, list[tuple[tuple[str, str, str], int]]]:
    monomial, _ = term
    return -sum(p for _, p in monomial), [(a.order, p) for a, p in monomial]


def _terms(size: Size) -> tuple[tuple[Monomial, int], ...]:
    if isinstance(size, int):
        return (((), size),) if size else ()
    return size.terms


@lru_cache(maxsize=65536)
def _add(a: Size, b: Size) -> Size:
    total = dict(_terms(a))
    for monomial, coefficient in _terms(b):
        total[monomial] = total.get(monomial, 0) + coefficient
    return from_dict(total)


@lru_cache(maxsize=65536)
def _mul(a: Size, b: Size) -> Size:
    total: dict[Monomial, int] = {}
    for (m1, c1), (m2, c2) in itertools.product(_terms(a), _terms(b)):
        powers = dict(m1)
        for atom, power in m2:
            powers[atom] = powers.get(atom, 0) + power
        monomial = tuple(sorted(powers.items()))
        total[monomial] = total.get(monomial, 0) + c1 * c2
    return from_dict(total)


@lru_cache(maxsize=65536)
def as_poly(atom: Atom) -> Poly:
    """An atom as a size."""
    return Poly(((((atom, 1),), 1),))


@lru_cache(maxsize=8192)
def axis(name: str, scope: str = "") -> Poly:
    """The size of a named axis of an annotation; names of different scopes may coincide."""
    return as_poly(Atom("axis", name, (), scope))


@lru_cache(maxsize=8192)
def integer(name: str, place: str = "") -> Poly:
    """An integer of the program (a parameter, an attribute) with no known value; each place has its own."""
    return as_poly(Atom("int", name, (), place))


def unknown(name: str | None = None) -> Poly:
    """A size nothing is known about; without a name, a fresh one."""
    return as_poly(Atom("opaque", name if name is not None else f"?{next(_serial)}"))


def either(given: Size, otherwise: Size) -> Size:
    """One of two sizes, always the same one: an argument, or what stands for it where it is left out.

    >>> either(axis("hidden"), 4 * axis("d")), either(axis("hidden"), 4) - either(axis("hidden"), 4)
    (hidden or 4*d, 0)
    """
    if given == otherwise:
        return given
    return as_poly(Atom("either", f"{given} or {otherwise}", (given, otherwise)))


def counted(name: str = "selected", key: str | None = None, whole: Size | None = None, *among: int) -> Poly:
    """What only running tells (how many are chosen, or in a batch): seldom one, or all; ``among`` these."""
    atom = Atom("opaque", name, among, f"#{next(_serial) if key is None else key}")
    atom.whole = None if whole == 1 else whole
    return as_poly(atom)


def is_counted(size: Size) -> bool:
    """Whether a size is made of such counts and of nothing else."""
    return not isinstance(size, int) and all(a.kind == "floor" or a.scope[:1] == "#" for a in atoms(size))


def atoms(size: Size) -> frozenset[Atom]:
    """The atoms that a size is made of."""
    return frozenset() if isinstance(size, int) else size.atoms()


def is_unknown(size: Size) -> bool:
    """True where a size involves something nothing is known about."""
    return any(atom.kind == "opaque" for atom in atoms(size))


def divides(divisor: Size, size: Size) -> bool:
    """Whether the division is exact as polynomials."""
    return exact_div(size, divisor) is not None


@lru_cache(maxsize=65536)
def exact_div(size: Size, divisor: Size) -> Size | None:
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
    return from_dict({monomial: term[1] // by[1]})


@lru_cache(maxsize=65536)
def floor_div(size: Size, divisor: Size) -> Size:
    """``size // divisor``: exact where it divides, otherwise a ``floor`` atom.

    >>> -(-axis("n") // 2)  # rounded up
    (n + 1)//2
    """
    if isinstance(size, int) and isinstance(divisor, int):
        return size // divisor if divisor else unknown()
    exact = exact_div(size, divisor)
    if exact is not None:
        return exact
    common = common_factor(size, divisor)
    if common != 1:
        return floor_div(exact_div(size, common) or 0, exact_div(divisor, common) or 1)
    if isinstance(divisor, int) and divisor > 0 and isinstance(size, Poly):
        # (k*a + r) // k == a + r // k for every integer polynomial a
        whole = {m: c // divisor for m, c in size.terms if m and c % divisor == 0}
        if whole:
            part = from_dict(whole)
            return part + floor_div(size - divisor * part, divisor)
    if _falls(size) and all(count > 0 for _, count in _terms(divisor)):
        return -floor_div(divisor - 1 - size, divisor)  # one form of what is rounded up
    return as_poly(Atom("floor", f"{_wrap(size)}//{_wrap(divisor)}", (size, divisor)))


def _falls(size: Size) -> bool:
    """Whether a size is the smaller, the larger any name in it is."""
    return all(count < 0 for monomial, count in _terms(size) if monomial or isinstance(size, int))


@lru_cache(maxsize=65536)
def common_factor(a: Size, b: Size) -> Size:
    """The largest monomial that divides both: (b*s*d) // (b*s*h) is d // h."""
    terms = (*_terms(a), *_terms(b))
    coefficient = math.gcd(*(c for _, c in terms))
    powers = dict(terms[0][0]) if terms else {}
    for monomial, _ in terms[1:]:
        have = dict(monomial)
        powers = {x: min(p, have[x]) for x, p in powers.items() if x in have}
    return from_dict({tuple(sorted(powers.items())): coefficient or 1})


def without_common(a: Size, b: Size) -> tuple[Size, Size]:
    """Two sizes without the factor they share, where both are not zero: b*d and b*h are d and h."""
    if isinstance(a, int) or isinstance(b, int):
        return a, b
    common = common_factor(a, b)
    return (a, b) if common == 1 else (exact_div(a, common) or a, exact_div(b, common) or b)


def product(sizes: Iterable[Size]) -> Size:
    """The product of sizes."""
    result: Size = 1
    for size in sizes:
        result = result * size
    return result


def substitute(size: Size, values: Mapping[Atom, Size] | Callable[[Atom], Size | None]) -> Size:
    """Replace atoms, also inside floors; atoms without a value stay."""
    if isinstance(size, int):
        return size
    if callable(values):
        look = values
    elif size.atoms().isdisjoint(values):
        return size
    else:
        look = values.get
    total: Size = 0
    for monomial, coefficient in size.terms:
        term: Size = coefficient
        for atom, power in monomial:
            value = look(atom)
            if value is None:
                value = as_poly(atom)
                operands = tuple([substitute(o, values) for o in atom.operands])
                if operands != atom.operands:
                    value = (floor_div if atom.kind == "floor" else either)(*operands)
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
    result = substitute(size, lambda a: None if a.operands else sizes[a.name])
    if not isinstance(result, int):
        raise TypeError(f"{size} is not a number at {dict(sizes)}")
    return result


def _wrap(size: Size) -> str:
    text = str(size)
    return f"({text})" if any(c in text for c in "+-*/ ") else text
