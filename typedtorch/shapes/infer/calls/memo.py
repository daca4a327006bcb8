"""What calls of the program's own functions gave, for the next call with the same values."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from typedtorch.shapes.infer.conditions import proven
from typedtorch.shapes.infer.values.contents import Substitution, parts_of, sizes_in, with_parts
from typedtorch.shapes.infer.values.likeness import PLAIN, Likeness, Pairs, nameless
from typedtorch.shapes.infer.values.values import DictV, Instance, LayerV, Sequence, Value, is_size
from typedtorch.shapes.proofs import Facts
from typedtorch.shapes.size import Atom, Poly, Size, as_poly, unknown
from typedtorch.shapes.taken import Taken
from typedtorch.shapes.tensor import Tensor

_MOST = 1000  # calls remembered for one body
LEFT_OUT = object()  # stands for an argument that a call leaves to its default


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a call, and what became of the objects it was given, by their place among these.

    And what it sliced and proved, for the body that calls it again.
    """

    result: Value
    changed: tuple[tuple[int, Value], ...] = ()
    proven: Facts = field(default=(), repr=False)
    taken: tuple[Taken, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class _Known:
    given: tuple[Value, ...]
    outcome: Outcome
    depth: int  # how deep it was, where deeper calls were not followed; else 0
    _made: list[frozenset[int]] = field(default_factory=list)  # one, once it was asked for

    @property
    def made(self) -> frozenset[int]:
        """Identities of the objects in the outcome that arose in the call: another call makes its own."""
        if not self._made:
            given = _objects_in(self.given)
            made = _objects_in((self.outcome.result, *(new for _, new in self.outcome.changed)))
            self._made.append(frozenset(made - given))
        return self._made[0]


class Memo:
    """Outcomes of bodies by the values they were given.

    >>> memo, body = Memo(), ast.parse("def f(n): return 2 * n").body[0]
    >>> memo.keep(body, (3,), Outcome(6))
    >>> memo.find(body, (3,)), memo.find(body, (4,))
    (Outcome(result=6, changed=()), None)
    """

    def __init__(self) -> None:
        self._known: dict[int, dict[int, list[_Known]]] = {}
        self._kept: dict[int, int] = {}
        self.cuts = 0  # calls that were not followed because they are too deep

    def find(self, body: ast.AST, given: tuple[Value, ...], depth: int = 0) -> Outcome | None:
        """What a call of a body with such values gave, in terms of the objects of this call."""
        of_body = self._known.get(id(body))
        if of_body is None:
            return None
        for known in of_body.get(_outline(given), ()):
            outcome = _of_call(known, given) if known.depth <= depth else None
            if outcome is not None:
                self.cuts += known.depth > 0
                return outcome
        return None

    def keep(self, body: ast.AST, given: tuple[Value, ...], outcome: Outcome, depth: int = 0) -> None:
        kept = self._kept.get(id(body), 0)
        if kept < _MOST:
            self._kept[id(body)] = kept + 1
            same = self._known.setdefault(id(body), {}).setdefault(_outline(given), [])
            same.append(_Known(given, outcome, depth))


def _of_call(known: _Known, given: tuple[Value, ...]) -> Outcome | None:
    """An outcome with the objects and unknown sizes of this call in place of those that it arose with."""
    likeness = Likeness()
    if not likeness.holds(known.given, given):
        return None
    outcome = _made_anew(known)
    if likeness.is_identity:
        return outcome
    places = [at for at, _ in outcome.changed]
    pairs = Pairs(known.given, given)
    if places and not pairs.one_to_one(places):
        return None
    news = [new for _, new in outcome.changed]
    moved = likeness.moved(pairs, (outcome.result, *news, *outcome.proven))
    if moved is None:
        return None
    result, news, proven = moved[0], moved[1 : len(news) + 1], tuple(filter(is_size, moved[len(news) + 1 :]))
    return Outcome(result, tuple(zip(places, news, strict=True)), proven, outcome.taken)


_OBJECTS = (Tensor, LayerV, Instance, Sequence, DictV)  # what a program can change in place


def _objects_in(values: Iterable[Value]) -> set[int]:
    """The identities of all objects inside some values."""
    found, rest = set[int](), list(values)
    while rest:
        value = rest.pop()
        if type(value) in PLAIN or id(value) in found:
            continue
        if isinstance(value, _OBJECTS):
            found.add(id(value))
        rest.extend(parts_of(value))
    return found


def _made_anew(known: _Known) -> Outcome:
    """The outcome with other objects for those that the call made itself; one in two places stays one."""
    outcome, anew = known.outcome, dict[int, Value]()
    if not known.made:
        return outcome

    def within(value: Value) -> Value:
        is_object = isinstance(value, _OBJECTS)
        if type(value) in PLAIN or (is_object and id(value) not in known.made):
            return value
        if id(value) not in anew:
            new = with_parts(value, within)
            anew[id(value)] = replace(value) if is_object and new is value else new
        return anew[id(value)]

    changed = tuple([(place, within(new)) for place, new in outcome.changed])
    return replace(outcome, result=within(outcome.result), changed=changed)


def of_this_call(place: str, given: tuple[Value, ...], result: Value) -> Value:
    """Sizes that arose in a body are this call's own: what another call gives has others."""
    arose = [atom for atom in sizes_in(result) if isinstance(atom, Atom) and _arises(atom)]
    if not arose:
        return result
    known = sizes_in(given)
    return Substitution({a: _renamed(a, place) for a in arose if a not in known})(result)


def _arises(atom: Atom) -> bool:
    """Whether a size is unknown, or what a body called it, its place being the scope."""
    return atom.kind == "opaque" or (atom.kind in ("axis", "int") and atom.scope[:1].isdigit())


def _renamed(atom: Atom, place: str) -> Size:
    """An unknown size of one call; a count stays one."""
    if atom.kind != "opaque" or atom.scope.startswith("#"):
        return as_poly(Atom(atom.kind, atom.name, atom.operands, f"{atom.scope}@{place}"))
    return proven.made_of(unknown(f"{atom.name}{atom.scope}@{place}"), atom.made_of)


def _outline(value: Value) -> int:
    """A number that is the same for values that are alike, and seldom for others."""
    kind = type(value)
    if kind in PLAIN:
        return hash(value)
    if kind is Poly:
        return hash(Poly if nameless(value) else value)
    if kind is Tensor:
        return hash(tuple([Poly if type(e) is Poly and nameless(e) else e for e in value.shape]))
    if kind is Instance or kind is Sequence or kind is DictV:
        if value.outline is None:
            object.__setattr__(value, "outline", _outline_of_parts(value))  # it never changes: found once
        return value.outline or 0
    return hash(tuple([_outline(part) for part in value])) if isinstance(value, tuple) else hash(kind)


def _outline_of_parts(value: Instance | Sequence | DictV) -> int:
    if isinstance(value, Sequence):
        parts = value.element if value.items is None else value.items
        return hash((value.kind, _outline(parts)))
    named = value.attributes if isinstance(value, Instance) else value.items
    of = id(value.info) if isinstance(value, Instance) else 0
    return hash((of, frozenset([(name, _outline(part)) for name, part in named.items()])))
