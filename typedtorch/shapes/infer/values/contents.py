"""The sizes inside values, and others put in their place."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TypeAlias

from typedtorch.shapes.infer.classes.passed import Passed
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    Bound,
    Choice,
    ClassV,
    DictV,
    External,
    FunctionV,
    Instance,
    LayerV,
    Scalar,
    Sequence,
    Value,
    is_size,
)
from typedtorch.shapes.proofs import Facts
from typedtorch.shapes.rule import Record, like
from typedtorch.shapes.size import Atom, Poly, Size, atoms, substitute
from typedtorch.shapes.tensor import Entry, Pack, Shape, Tensor

Held: TypeAlias = frozenset[Atom | Pack]

# kinds of values, the most frequent ones, that have no others inside them
HOLDS_NOTHING = frozenset(
    {Tensor, Poly, int, bool, float, str, type(None), External, FunctionV, ClassV, LayerV}
)
_SIZELESS = HOLDS_NOTHING - {Tensor, Poly}
_NONE: Held = frozenset()


def sizes_in(value: Value) -> Held:
    """The atoms of every size inside a value, and the runs of axes of its tensors."""
    kind = type(value)
    if kind is Tensor:
        return _in_shape(value.shape)
    if kind is Poly:
        return atoms(value)
    if kind in HOLDS_NOTHING:
        return _NONE
    if kind is Instance or kind is Sequence or kind is DictV:
        if value.sizes is None:
            object.__setattr__(value, "sizes", _in_all(parts_of(value)))  # it never changes: found once
        return value.sizes or _NONE
    return _in_all(parts_of(value))


def sizes_of_any_item(value: Value) -> Held:
    """Those of the sizes in a value that stand for a different one in each item of a container."""
    kind = type(value)
    if kind in HOLDS_NOTHING or not sizes_in(value):
        return _NONE
    if kind is Instance or kind is Sequence or kind is DictV:
        if value.varying is None:
            object.__setattr__(value, "varying", _of_any_item(value))  # it never changes: found once
        return value.varying or _NONE
    return _of_any_item(value)


def _of_any_item(value: Value) -> Held:
    any_item: Value = value.rest if isinstance(value, DictV) else None
    if isinstance(value, Sequence):
        any_item = value.element if value.grown is None else (value.element, value.grown.later)
    inside = [sizes_of_any_item(part) for part in parts_of(value) if type(part) not in HOLDS_NOTHING]
    return sizes_in(any_item).union(*inside)


@lru_cache(maxsize=65536)
def _in_shape(shape: Shape) -> Held:
    runs = frozenset(entry for entry in shape if isinstance(entry, Pack))
    return runs.union(*(atoms(entry) for entry in shape if not isinstance(entry, Pack)))


def _in_all(parts: Iterable[Value]) -> Held:
    found = _NONE
    for part in parts:
        if type(part) not in _SIZELESS:
            own = sizes_in(part)
            if not own <= found:
                found = found | own
    return found


def parts_of(value: Value) -> Iterable[Value]:
    """The values directly inside another."""
    parts = _PARTS.get(type(value))
    if parts is not None:
        return parts(value)
    return value if isinstance(value, tuple) else ()


_PARTS: dict[type, Callable[[Value], Iterable[Value]]] = {
    Instance: lambda value: (*value.attributes.values(), *value.arguments.values(), *value.axes.values()),
    Sequence: lambda value: (value.element, value.length, *(value.items or ()), *(value.grown or ())),
    DictV: lambda value: (value.rest, value.length, *value.items.values()),
    Choice: lambda value: (*value.options, *value.proves),
    Scalar: lambda value: value.proves,
    Passed: lambda value: value.sizes.values(),
    Bound: lambda value: (value.receiver,),
    tuple: lambda value: value,
}


def with_parts(value: Value, change: Callable[[Value], Value]) -> Value:
    """A value with something else for each of its parts; the value itself where all of them stay."""
    if isinstance(value, Record):
        return type(value)(**{name: change(part) for name, part in zip(value.names, value, strict=True)})
    if isinstance(value, tuple):
        parts = [change(part) for part in value]
        return value if _all_same(parts, value) else like(value, parts)
    if isinstance(value, Instance):
        held = [
            {k: change(part) for k, part in of_kind.items()}
            for of_kind in (value.attributes, value.arguments, value.axes)
        ]
        same = _all_same((p for kind in held for p in kind.values()), parts_of(value))
        return value if same else replace(value, attributes=held[0], arguments=held[1], axes=held[2])
    if isinstance(value, Sequence):
        items = None if value.items is None else tuple([change(part) for part in value.items])
        element, length = change(value.element), change(value.length)
        grown = None if value.grown is None else value.grown.changed(change)
        same = items is None or value.items is None or _all_same(items, value.items)
        if same and element is value.element and length is value.length and grown is value.grown:
            return value
        return replace(value, items=items, element=element, length=length, grown=grown)
    if isinstance(value, DictV):
        kept, rest = {k: change(part) for k, part in value.items.items()}, change(value.rest)
        length = change(value.length)
        if rest is value.rest and length is value.length and _all_same(kept.values(), value.items.values()):
            return value
        return replace(value, items=kept, rest=rest, length=length)
    if isinstance(value, Choice):
        options = tuple([change(part) for part in value.options])
        proves = tuple([_still(facts, change) for facts in value.proves])
        same = _all_same(options, value.options) and proves == value.proves
        return value if same else Choice(options, proves)
    if isinstance(value, Scalar):
        proves = tuple([_still(facts, change) for facts in value.proves])
        return value if proves == value.proves else replace(value, proves=proves)
    if isinstance(value, Passed):
        sizes = {name: change(size) for name, size in value.sizes.items()}
        return value if _all_same(sizes.values(), value.sizes.values()) else Passed(sizes)
    if isinstance(value, Bound):
        receiver = change(value.receiver)
        return value if receiver is value.receiver else replace(value, receiver=receiver)
    return value


def _still(facts: Facts, change: Callable[[Value], Value]) -> Facts:
    """Facts of other sizes; what is certain says nothing."""
    return tuple([fact for fact in map(change, facts) if is_size(fact) and fact != 0]) if facts else facts


def _all_same(new: Iterable[Value], old: Iterable[Value]) -> bool:
    return all(map(operator.is_, new, old))


# Kinds of dicts whose items are attributes; of the first nothing is an item.
OF_ATTRIBUTES = ("namespace", "attributes", "read attributes")


def map_tensors(
    value: Value,
    change: Callable[[Tensor], Tensor],
    size: Callable[[Size], Size] | None = None,
    function: Callable[[FunctionV], FunctionV] | None = None,
    layer: Callable[[LayerV], Value] | None = None,
) -> Value:
    """Apply a change to every tensor (and size, function, and layer) inside a value."""

    changes = {Tensor: change, Poly: size, FunctionV: function, LayerV: layer}

    def within(part: Value) -> Value:
        kind = type(part)
        if kind not in HOLDS_NOTHING:
            return with_parts(part, within)
        changed = changes.get(kind)
        return part if changed is None else changed(part)

    return within(value)


OF_ITEMS = "|"  # in the name of a size that every object of a list has of its own, before what it calls it
ONE_ITEM = "^"  # in the name of a size that an item has which may be any of a container's


class AnyItemForgotten:
    """Forgets tensors that stand for any item of a container, or are one, and those taken from one, but one.

    What is done to one of them in place may have been done to any.
    """

    def __init__(self, kept: Value) -> None:
        self._kept = kept
        self._made: dict[int, tuple[Value, Value]] = {}  # with what it was made of, which so stays alive

    def __call__(self, value: Value) -> Value:
        if isinstance(value, Tensor):
            return value if value is self._kept or not _is_one_of_many(value) else UNKNOWN
        if type(value) in HOLDS_NOTHING:
            return value
        known = self._made.get(id(value))
        if known is None:
            left = value
            if isinstance(value, Sequence):
                items = None if value.items is None else tuple(map(self._item, value.items))
                left = replace(value, items=items, element=self._item(value.element), grown=None)
            elif isinstance(value, DictV):
                items_by_key = {key: self._item(item) for key, item in value.items.items()}
                left = replace(value, items=items_by_key, rest=self._item(value.rest))
            known = self._made[id(value)] = value, with_parts(left, self)
        return known[1]

    def _item(self, value: Value) -> Value:
        return UNKNOWN if isinstance(value, Tensor) and value is not self._kept else value


def _is_one_of_many(tensor: Tensor) -> bool:
    return any(isinstance(size, Atom) and ONE_ITEM in (size.name + size.scope) for size in sizes_in(tensor))


class Substitution:
    """Puts sizes in the place of atoms, and axes in that of runs of axes, anywhere inside values.

    What holds none of them stays itself, and an object that is in two places is still one afterwards.

    >>> from typedtorch.shapes.size import axis
    >>> (n,) = axis("n").atoms()
    >>> size, tensor = Substitution({n: 3})((axis("n") + 1, Tensor((axis("n"), axis("d")))))
    >>> size, tensor.shape
    (4, (3, d))
    """

    def __init__(self, sizes: Mapping[Atom, Size], runs: Mapping[Pack, Shape] | None = None) -> None:
        self._sizes, self._runs = sizes, runs or {}
        self._replaced = frozenset(sizes) | frozenset(self._runs)
        self._made: dict[int, tuple[Value, Value]] = {}  # with what it was made of, which so stays alive

    def __call__(self, value: Value) -> Value:
        if sizes_in(value).isdisjoint(self._replaced):
            return value
        if isinstance(value, Poly):
            return substitute(value, self._sizes)
        if isinstance(value, Tensor):
            return replace(value, layout=None, shape=self.shape(value.shape))
        known = self._made.get(id(value))
        if known is None:
            known = self._made[id(value)] = value, with_parts(value, self)
        return known[1]

    def shape(self, shape: Shape) -> Shape:
        """Some axes with others in their place."""
        return tuple([new for entry in shape for new in self._entry(entry)])

    def _entry(self, entry: Entry) -> Shape:
        if isinstance(entry, Pack):
            by = self._runs.get(entry, (entry,))
            return by if by == (entry,) else tuple([e if isinstance(e, Pack) else self.size(e) for e in by])
        return (self.size(entry),)

    def size(self, size: Size) -> Size:
        """A size with others in the place of its atoms."""
        return substitute(size, self._sizes)

    def atoms(self, some: frozenset[Atom]) -> frozenset[Atom]:
        """Some atoms, and those that come in the place of one of them."""
        found = [atoms(self._sizes[atom]) for atom in some if atom in self._sizes]
        return some.union(*found) if found else some


def holds_tensors(value: Value) -> bool:
    """Whether a value is a tensor or has tensors of its own, or a structure of parts some of which do."""
    parts: Iterable[Value] = value if isinstance(value, tuple) else ()
    if isinstance(value, DictV):
        parts = value.items.values()
    elif isinstance(value, Sequence) and value.kind == "list":
        parts = value.items or ()
    elif isinstance(value, Instance) and value.info.kind.is_fields:
        parts = value.attributes.values()
    if isinstance(value, LayerV):
        return value.name.startswith("torch.distributions.")
    return isinstance(value, Tensor) or any(map(holds_tensors, parts))


__all__ = [
    "HOLDS_NOTHING",
    "Substitution",
    "holds_tensors",
    "map_tensors",
    "parts_of",
    "sizes_in",
    "with_parts",
]
