"""Whether two calls are alike: the same values, whichever objects and names of unknown sizes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from typedtorch.shapes.infer.values.contents import HOLDS_NOTHING, with_parts
from typedtorch.shapes.infer.values.values import (
    Bound,
    Choice,
    DictV,
    External,
    FunctionV,
    Instance,
    LayerV,
    Partial,
    Scalar,
    Sequence,
    SuperV,
    Value,
    equal,
)
from typedtorch.shapes.size import Atom, Poly, Size, as_poly, atoms, substitute
from typedtorch.shapes.tensor import Entry, Tensor

# Kinds of values that hold no others and have hashes: they are compared as they are.
PLAIN = frozenset({int, bool, str, float, bytes, type(None), External})


@lru_cache(maxsize=65536)
def nameless(size: Poly) -> tuple[Atom, ...]:
    """The atoms of a size of which nothing is known, and that count nothing: their names do not matter."""
    found = {a: None for monomial, _ in size.terms for atom, _ in monomial for a in _inside(atom)}
    return tuple([atom for atom in found if atom.kind == "opaque" and not atom.scope])


def _inside(atom: Atom) -> Iterable[Atom]:
    return (atom, *(a for operand in atom.operands for a in sorted(atoms(operand), key=str)))


class Likeness:
    """What stands in one call where something else stands in the other, found while they are compared."""

    def __init__(self) -> None:
        self._names: dict[Atom, Atom] = {}
        self._back: dict[Atom, Atom] = {}
        self._differs = False
        self._fixed: list[Value] = []  # parts that have to be equal, names and all

    def holds(self, a: Value, b: Value) -> bool:
        """Whether two values are alike."""
        kind = type(a)
        if a is not b and kind not in PLAIN:
            self._differs = True
        if kind is not type(b):
            return False
        if kind in PLAIN:
            return bool(a == b)
        if kind is Tensor:
            return self._tensors(a, b)
        if kind is Poly:
            return self._sizes(a, b)
        if kind is Choice:
            return self.holds(a.options, b.options) and self.holds(a.proves, b.proves)
        if kind is Scalar:
            return a.kind == b.kind and self.holds(a.proves, b.proves)
        if kind is Sequence:
            return self._sequences(a, b)
        if kind is DictV:
            return (
                a.items.keys() == b.items.keys()
                and all(self.holds(v, b.items[k]) for k, v in a.items.items())
                and self.holds(a.rest, b.rest)
            )
        if isinstance(a, tuple):
            return len(a) == len(b) and all(self.holds(x, y) for x, y in zip(a, b, strict=True))
        self._fixed += (a,) if a is b else (a, b)
        return equal(a, b)

    def _sequences(self, a: Sequence, b: Sequence) -> bool:
        if a.kind != b.kind or (a.items is None) != (b.items is None):
            return False
        if a.items is not None:
            return self.holds(a.items, b.items)
        alike = self.holds(a.length, b.length) and self.holds(a.element, b.element)
        return alike and self.holds(a.grown, b.grown)

    def _tensors(self, a: Tensor, b: Tensor) -> bool:
        return (
            len(a.shape) == len(b.shape)
            and (a.dtype, a.deliberate, a.library) == (b.dtype, b.deliberate, b.library)
            and all(self._sizes(x, y) for x, y in zip(a.shape, b.shape, strict=True))
            and self.holds(a.layout, b.layout)
        )

    def _sizes(self, a: Entry, b: Entry) -> bool:
        if type(a) is not Poly or type(b) is not Poly:
            return type(a) is type(b) and a == b
        own, other = nameless(a), nameless(b)
        if not own or len(own) != len(other):
            return a == b
        for x, y in zip(own, other, strict=True):
            if self._names.setdefault(x, y) is not y or self._back.setdefault(y, x) is not x:
                return False
        return a is b or substitute(a, self._sizes_of(own)) == b

    def _sizes_of(self, names: Iterable[Atom]) -> dict[Atom, Size]:
        return {name: as_poly(self._names[name]) for name in names if self._names[name] is not name}

    @property
    def is_identity(self) -> bool:
        """Whether nothing stands for anything else."""
        return not self._differs

    def moved(self, pairs: Pairs, outcome: tuple[Value, ...]) -> list[Value] | None:
        """What came of the one call, with what the other has in its place; None where that is not certain."""
        names = self._sizes_of(self._names)
        if names:
            touched = names.keys() | {self._names[name] for name in names}
            if not touched.isdisjoint(_Names(self._fixed).found):
                return None  # a size inside an object, too, which is the same in both calls
        if not names and not pairs.differ:
            return list(outcome)
        move = _Move(pairs.other, names)
        parts = [move(value) for value in outcome]
        return None if move.stuck else parts


class _Names:
    """The unknown sizes anywhere in some values."""

    def __init__(self, values: Iterable[Value]) -> None:
        self.found: set[Atom] = set()
        self._seen: set[int] = set()
        for value in values:
            self._add(value)

    def _add(self, value: Value) -> None:
        kind = type(value)
        if kind in PLAIN:
            return
        if kind is Poly:
            self.found.update(nameless(value))
        elif kind is Tensor:
            for size in (*value.shape, *(value.layout or ())):
                if type(size) is Poly:
                    self.found.update(nameless(size))
        elif id(value) not in self._seen:
            self._seen.add(id(value))
            for part in _parts(value):
                if type(part) not in PLAIN:
                    self._add(part)


def _parts(value: Value) -> Iterable[Value]:
    match value:
        case tuple() | list():
            return value
        case Instance():
            return (*value.attributes.values(), *value.arguments.values(), *value.axes.values())
        case LayerV():
            return (*value.layer.attributes.values(), *(value.arguments or ()))
        case Sequence():
            return (value.length, value.element, *(value.items or ()), *(value.grown or ()))
        case DictV():
            return (value.rest, value.length, *value.items.values())
        case Choice():
            return (*value.options, *value.proves)
        case Scalar():
            return value.proves
        case FunctionV():
            return (value.bound, *(value.closure or {}).values())
        case Bound() | SuperV():
            return (value.receiver,)
        case Partial():
            return (value.function, *value.args, *value.kwargs.values())
    return ()


def _has_same_past(a: Value, b: Value) -> bool:
    if a is b or not isinstance(a, Instance):
        return True
    return bool(replace(a, attributes={}) == replace(b, attributes={}))


class Pairs:
    """The objects that one call was given, by identity, and those at the same places of another.

    Where no object stands for another (``differ``), only the outermost ones are noted.
    """

    def __init__(self, a: tuple[Value, ...], b: tuple[Value, ...]) -> None:
        self._given = a, b
        self.other: dict[int, Value] = {}
        self._one_to_one, self.differ = True, False
        self._back: dict[int, int] = {}
        self._shared: list[Value] = []
        self._add(a, b)
        if self.differ:
            for value in self._shared:
                self._add_parts(value, value)

    def one_to_one(self, changed: Iterable[int]) -> bool:
        """Whether what became of some objects of the one call would become of those of the other.

        Not where one of them stands for two, nor where the object has another past.
        """
        a, b = self._given
        return self._one_to_one and all(_has_same_past(a[at], b[at]) for at in changed)

    def _add(self, a: Value, b: Value) -> None:
        kind = type(a)
        if kind is Instance or kind is Sequence or kind is DictV:
            if id(a) in self.other or id(b) in self._back:
                self._one_to_one &= self.other.get(id(a)) is b and self._back.get(id(b)) == id(a)
                return
            self.other[id(a)], self._back[id(b)] = b, id(a)
            if a is b and not self.differ:
                self._shared.append(a)
                return
            self.differ |= a is not b
        self._add_parts(a, b)

    def _add_parts(self, a: Value, b: Value) -> None:
        if isinstance(a, Instance):
            self._add_items(a.attributes, b.attributes)
        elif isinstance(a, Sequence):
            self._add(a.items, b.items) if a.items is not None else self._add(a.element, b.element)
        elif isinstance(a, DictV):
            self._add_items(a.items, b.items)
            self._add(a.rest, b.rest)
        elif isinstance(a, Choice):
            self._add(a.options, b.options)
        elif isinstance(a, tuple):
            for x, y in zip(a, b, strict=True):
                if type(x) not in HOLDS_NOTHING:
                    self._add(x, y)

    def _add_items(self, a: Mapping[Any, Value], b: Mapping[Any, Value]) -> None:
        for key, value in a.items():
            if type(value) not in HOLDS_NOTHING:
                self._add(value, b[key])


class _Move:
    """Puts other objects in the place of some, wherever they are in a value; what has none stays itself."""

    def __init__(self, table: dict[int, Value], names: Mapping[Atom, Size]) -> None:
        self._table, self._names = table, names
        self.stuck = False  # a size stands where it cannot be replaced

    def __call__(self, value: Value) -> Value:
        kind = type(value)
        if kind in PLAIN:
            return value
        if kind is Poly:
            return substitute(value, self._names) if self._names else value
        if kind is Tensor:
            return self._tensor(value) if self._names else value
        if not isinstance(value, (tuple, Choice, Scalar, Instance, Sequence, DictV)):
            self.stuck |= bool(self._names) and not self._names.keys().isdisjoint(_Names([value]).found)
            return value
        if id(value) not in self._table:
            self._table[id(value)] = self._inside(value)
        return self._table[id(value)]

    def _tensor(self, value: Tensor) -> Tensor:
        if not any(type(e) is Poly and not self._names.keys().isdisjoint(nameless(e)) for e in value.shape):
            return value
        shape = tuple([substitute(e, self._names) if type(e) is Poly else e for e in value.shape])
        layout = value.layout and tuple([substitute(size, self._names) for size in value.layout])
        return replace(value, shape=shape, layout=layout)

    def _inside(self, value: Value) -> Value:
        if isinstance(value, Instance) and self._names:
            sizes = [*value.arguments.values(), *value.axes.values()]
            self.stuck |= not self._names.keys().isdisjoint(_Names(sizes).found)
        return with_parts(value, self)
