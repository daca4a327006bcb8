"""What calls of the program's own functions gave, for the next call with the same values."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace

from typedtorch.shapes.infer.state import map_sizes
from typedtorch.shapes.infer.values import (
    Choice,
    DictV,
    External,
    FunctionV,
    Instance,
    Sequence,
    Value,
    equal,
)
from typedtorch.shapes.rule import Record, like
from typedtorch.shapes.size import Atom, Poly, Size, atoms, substitute, unknown
from typedtorch.shapes.syntax import walk
from typedtorch.shapes.tensor import Tensor

_MOST = 1000  # calls remembered for one body
LEFT_OUT = object()  # stands for an argument that a call leaves to its default


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a call, and what became of the objects it was given, by their place among these."""

    result: Value
    changed: tuple[tuple[int, Value], ...] = ()


@dataclass(frozen=True, slots=True)
class _Known:
    given: tuple[Value, ...]
    outcome: Outcome
    depth: int  # how deep it was, where deeper calls were not followed; else 0


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
        self._read: dict[int, list[str]] = {}  # names in local functions
        self.cuts = 0  # calls that were not followed because they are too deep

    def captured(self, function: FunctionV) -> tuple[Value, ...]:
        """What a body reads of the function around it."""
        closure, node = function.closure, function.node
        if not closure:
            return ()
        if id(node) not in self._read:
            self._read[id(node)] = sorted({n.id for n in walk(node) if isinstance(n, ast.Name)})
        return tuple([closure[name] for name in self._read[id(node)] if name in closure])

    def find(self, body: ast.AST, given: tuple[Value, ...], depth: int = 0) -> Outcome | None:
        """What a call of a body with such values gave, in terms of the objects of this call."""
        of_body = self._known.get(id(body))
        if of_body is None:
            return None
        for known in of_body.get(_sketch(given), ()):
            if known.depth <= depth and equal(known.given, given):
                outcome = _moved(known, given)
                if outcome is not None:
                    self.cuts += known.depth > 0
                    return outcome
        return None

    def keep(self, body: ast.AST, given: tuple[Value, ...], outcome: Outcome, depth: int = 0) -> None:
        kept = self._kept.get(id(body), 0)
        if kept < _MOST:
            self._kept[id(body)] = kept + 1
            same = self._known.setdefault(id(body), {}).setdefault(_sketch(given), [])
            same.append(_Known(given, outcome, depth))


def of_this_call(place: str, given: tuple[Value, ...], result: Value) -> Value:
    """Sizes that arose in a body are this call's own: what another call gives has others."""
    found: set[Atom] = set()

    def note(size: Size) -> Size:
        found.update(a for a in atoms(size) if a.kind == "opaque")
        return size

    map_sizes(result, note)
    if not found:
        return result
    arose = frozenset(found)
    found.clear()
    map_sizes(given, note)
    own = {atom: unknown(f"{atom.name}@{place}") for atom in arose - found}
    return map_sizes(result, lambda size: substitute(size, own)) if own else result


# Kinds of values that say all there is to compare: those that are equal have the same hash.
_PLAIN = frozenset({int, bool, str, float, bytes, type(None), Poly, External})


def _sketch(given: tuple[Value, ...]) -> int:
    """A number that is the same for equal values, and hardly ever for others; it does not look deep."""
    return hash(tuple([_outline(value) for value in given]))


def _outline(value: Value) -> object:
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is Tensor:
        return hash((value.shape, value.dtype))
    if kind is Instance:
        return id(value.info), frozenset([(k, _part(v)) for k, v in value.attributes.items()])
    if kind is DictV:
        return frozenset([(k, _part(v)) for k, v in value.items.items()])
    if kind is Sequence:
        return value.kind, None if value.items is None else tuple([_part(v) for v in value.items])
    return tuple([_part(v) for v in value]) if isinstance(value, tuple) else kind


def _part(value: Value) -> object:
    """Of what is inside another value: it alone, nothing further in."""
    kind = type(value)
    return value if kind in _PLAIN else hash(value.shape) if kind is Tensor else kind


# -- the objects of one call in place of those of another ----------------------------------------


def _moved(known: _Known, given: tuple[Value, ...]) -> Outcome | None:
    """An outcome with the objects that this call was given in place of those that it arose with.

    None where something became of them and they are not alike: one of them stands for two, or its past
    is another.
    """
    if all(a is b for a, b in zip(known.given, given, strict=True)):
        return known.outcome
    changed = known.outcome.changed
    pairs = _Pairs()
    pairs.add(known.given, given)
    if changed and not (
        pairs.one_to_one and all(_has_same_past(known.given[at], given[at]) for at, _ in changed)
    ):
        return None
    move = _Move(pairs.other)
    return Outcome(move(known.outcome.result), tuple((at, move(new)) for at, new in changed))


def _has_same_past(a: Value, b: Value) -> bool:
    if a is b or not isinstance(a, Instance):
        return True
    return bool(replace(a, attributes={}) == replace(b, attributes={}))


class _Pairs:
    """The objects in a value, by identity, and those at the same places in an equal one."""

    def __init__(self) -> None:
        self.other: dict[int, Value] = {}
        self.one_to_one = True
        self._back: dict[int, int] = {}

    def add(self, a: Value, b: Value) -> None:
        kind = type(a)
        if kind is Instance or kind is Sequence or kind is DictV:
            if id(a) in self.other or id(b) in self._back:
                self.one_to_one &= self.other.get(id(a)) is b and self._back.get(id(b)) == id(a)
                return
            self.other[id(a)], self._back[id(b)] = b, id(a)
        if kind is Instance:
            for name, value in a.attributes.items():
                self.add(value, b.attributes[name])
        elif kind is Sequence:
            self.add(a.items, b.items) if a.items is not None else self.add(a.element, b.element)
        elif kind is DictV:
            for key, value in a.items.items():
                self.add(value, b.items[key])
            self.add(a.rest, b.rest)
        elif kind is Choice:
            self.add(a.options, b.options)
        elif isinstance(a, tuple):
            for x, y in zip(a, b, strict=True):
                self.add(x, y)


class _Move:
    """Puts other objects in the place of some, wherever they are in a value; what has none stays itself."""

    def __init__(self, table: dict[int, Value]) -> None:
        self._table = table

    def __call__(self, value: Value) -> Value:
        if not isinstance(value, (tuple, Choice, Instance, Sequence, DictV)):
            return value
        if id(value) not in self._table:
            self._table[id(value)] = self._inside(value)
        return self._table[id(value)]

    def _inside(self, value: Value) -> Value:
        if isinstance(value, tuple):
            parts = [self(v) for v in value]
            if isinstance(value, Record) or all(x is y for x, y in zip(parts, value, strict=True)):
                return value
            return like(value, parts)
        if isinstance(value, Choice):
            options = self(value.options)
            return value if options is value.options else Choice(options)
        if isinstance(value, Sequence):
            items, element = self(value.items), self(value.element)
            if items is value.items and element is value.element:
                return value
            return replace(value, items=items, element=element)
        if isinstance(value, DictV):
            held, rest = {k: self(v) for k, v in value.items.items()}, self(value.rest)
            if rest is value.rest and all(held[k] is v for k, v in value.items.items()):
                return value
            return replace(value, items=held, rest=rest)
        held = {k: self(v) for k, v in value.attributes.items()}
        if all(held[k] is v for k, v in value.attributes.items()):
            return value
        return replace(value, attributes=held)
