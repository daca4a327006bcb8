"""Whether two sizes are equal: the one question a checker asks, answered yes, no or *cannot tell*.

>>> from typedtorch.shapes.size import axis, unknown
>>> b, s, d = axis("batch"), axis("seq"), axis("d_model")
>>> same(b, s), same(b, b), same(d, 512), same(d, unknown())
(False, True, None, None)
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TypeAlias

from typedtorch.shapes import keys_and_values
from typedtorch.shapes.differences import are_multiples, is_inside, plain, vanishes
from typedtorch.shapes.scopes import (
    GIVEN_SCOPE,
    HELD_SCOPE,
    INSTANCE_SCOPE,
    INTEGER_SCOPE,
    LINKED_SCOPE,
    LOCAL_SCOPE,
    STATED_SCOPE,
    bare,
)
from typedtorch.shapes.size import (
    Atom,
    Poly,
    Size,
    as_poly,
    atoms,
    axis,
    common_factor,
    exact_div,
    is_counted,
    substitute,
    without_common,
)
from typedtorch.shapes.taken import padded


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
    verdict = vanishes(difference)
    if verdict is None and _passed and _passed[-1]:
        verdict = False if vanishes(substitute(difference, _passed[-1])) is False else None
    if verdict is False and _mentioned and not _linked_against_axes(difference) <= _mentioned[-1]:
        verdict = None
    excused = verdict is not True and (
        (bool(_coinciding) and any(may(a, b) for may in _coinciding)) or keys_and_values.may_be_one(a, b)
    )
    if excused:
        verdict = None
    if verdict is None:
        told = (
            (((a, b) in _distinct or padded(a, b)) and not excused)
            or are_multiples(a, b)
            or _some_of(*without_common(a, b))
        )
        if told or is_inside(a, b) or is_inside(b, a):
            verdict = False
        else:
            observe(a, b)
    if verdict is False and _differing:
        _differing[-1].append((a, b))
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


_passed: list[Mapping[Atom, Size]] = []


@contextlib.contextmanager
def passed(names: Iterable[str]) -> Iterator[None]:
    """Inside the block these axes are integers that were passed, ``{size}``: other such integers differ."""
    _passed.append({Atom("axis", name): axis(name, INTEGER_SCOPE) for name in names})
    try:
        yield
    finally:
        _passed.pop()


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
            if c1 * c2 < 0 and plain(first, c1) and plain(second, c2) and first and second:
                for observer in _observers:
                    observer(as_poly(first[0][0]), as_poly(second[0][0]))


_differing: list[list[tuple[Size, Size]]] = []


@contextlib.contextmanager
def differing() -> Iterator[list[tuple[Size, Size]]]:
    """Inside the block every pair of sizes is noted that ``same`` finds to be two, for a message."""
    _differing.append([])
    try:
        yield _differing[-1]
    finally:
        _differing.pop()


def is_argument(size: Size) -> bool:
    """Whether a size is an integer that was passed: a parameter, or what an instance was made with."""
    if isinstance(size, int) or len(size.terms) != 1 or not plain(*size.terms[0]):
        return False
    atom = size.terms[0][0][0][0]
    return (atom.kind == "int" and not atom.scope.startswith(LOCAL_SCOPE)) or (
        atom.kind == "axis" and bare(atom.scope) in (INTEGER_SCOPE, INSTANCE_SCOPE, LINKED_SCOPE)
    )


def of_another(size: Size) -> bool:
    """Whether a size is made of axes of an object's tensors alone: what a parameter or ``self`` holds."""
    found = atoms(size)
    ours = (INTEGER_SCOPE, INSTANCE_SCOPE, LINKED_SCOPE, GIVEN_SCOPE, STATED_SCOPE)
    holders = [bare(a.scope).partition(".")[0] for a in found if a.kind == "axis"]
    named = all(h.isidentifier() and not h.startswith("_") and h not in ours for h in holders)
    return bool(found) and len(holders) == len(found) and named


def is_name(size: Size) -> bool:
    """Whether a size is one axis or integer, by its name alone."""
    return (
        isinstance(size, Poly) and len(size.terms) == 1 and bool(size.terms[0][0]) and plain(*size.terms[0])
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
