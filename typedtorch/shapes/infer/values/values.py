"""The domain: what the interpreter knows of a value.

Ordinary Python objects stand for themselves: ``None``, ``bool``, ``str``, ``float``, ``bytes``, ``Ellipsis``,
``slice``, tuples of values, and sizes (``int`` or ``Poly``) for integers.  ``Scalar``, ``Dtype``, ``Tensor``
are of the rules.  The rest is here.  ``UNKNOWN`` is the top: it flows on and never causes a finding.

Values are immutable.  A mutation makes a new value and rebinds every name that held the old one
(the same Python object), which is how aliases stay aliases.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from typedtorch.shapes.dtypes import ANY
from typedtorch.shapes.infer.containers.grown import Grown, of_joined
from typedtorch.shapes.infer.values.stand_ins import (
    NEVER,
    Awaitable,
    Bound,
    Choice,
    ClassV,
    External,
    Object,
    Partial,
    SpecV,
    SuperV,
)
from typedtorch.shapes.infer.values.tensor_joins import join_size, join_tensor
from typedtorch.shapes.python_numbers import number_kind, one_of
from typedtorch.shapes.rule import Fields, Layer, Record
from typedtorch.shapes.rules.forms import is_size
from typedtorch.shapes.size import Atom, Size
from typedtorch.shapes.syntax import names_in
from typedtorch.shapes.tensor import UNKNOWN, Dtype, Pack, Scalar, Tensor, Unknown

if TYPE_CHECKING:  # in a field alone, ``| Any``: a compiled dataclass looks up a class at once
    from typedtorch.shapes.infer.classes.classes import ClassInfo
    from typedtorch.shapes.infer.program.program import Module

Value: TypeAlias = Any


@dataclass(frozen=True, slots=True, eq=False)
class FunctionV:
    """A function of the program, perhaps bound to its first argument."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    module: Module | Any
    closure: Mapping[str, Value] | None = None
    owner: ClassInfo | None = None
    bound: Value = UNKNOWN  # the first argument; UNKNOWN: not bound
    is_bound: bool = False
    overloads: tuple[ast.FunctionDef | ast.AsyncFunctionDef, ...] = ()

    def bind(self, receiver: Value) -> FunctionV:
        return FunctionV(self.node, self.module, self.closure, self.owner, receiver, True, self.overloads)

    @property
    def name(self) -> str:
        return "lambda" if isinstance(self.node, ast.Lambda) else self.node.name

    @property
    def captured(self) -> dict[str, Value]:
        """What a local function reads of the functions around it."""
        return {n: self.closure[n] for n in names_in(self.node) if n in self.closure} if self.closure else {}

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FunctionV)
            and (self.node is other.node and self.is_bound == other.is_bound)
            and (self.bound is other.bound or self.bound == other.bound)
            and captures_alike(self, other)
        )

    __hash__ = None  # type: ignore[assignment]  # compared by node and receiver, never a key


@dataclass(frozen=True, slots=True)
class Instance:
    """An object of a class of the program, with what is known of its attributes.

    ``arguments`` are the integers its constructor was given, by parameter name.
    """

    info: ClassInfo | Any
    attributes: Mapping[str, Value] = field(default_factory=dict)
    arguments: Mapping[str, Size] = field(default_factory=dict)
    partial: bool = False  # attributes not listed may still exist
    assumed: bool = False  # an annotation says so: it may be of a subclass
    altered: bool = False  # a module in it was replaced: it is no longer what its constructor made
    axes: Mapping[str, Size] = field(default_factory=dict)  # of the tensors its constructor was given
    variables: Mapping[str, Value] = field(default_factory=dict)  # what the parameters of its class stand for
    # what ``contents``, ``memo``, ``objects`` and ``annotated_attributes`` found, where they have looked
    sizes: frozenset[Atom | Pack] | None = field(default=None, init=False, repr=False, compare=False)
    varying: frozenset[Atom | Pack] | None = field(default=None, init=False, repr=False, compare=False)
    outline: int | None = field(default=None, init=False, repr=False, compare=False)
    held: frozenset[int] | None = field(default=None, init=False, repr=False, compare=False)
    promised: dict[str, Value] | None = field(default=None, init=False, repr=False, compare=False)

    def with_attribute(self, name: str, value: Value) -> Instance:
        attributes = {**self.attributes, name: value}
        return Instance(
            self.info, attributes, self.arguments, self.partial, self.assumed, self.altered, self.axes,
            self.variables,
        )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class LayerV:
    """A module of torch or einops, built by a rule."""

    name: str
    layer: Layer
    dtype: int = ANY  # of its parameters
    arguments: tuple[Value, ...] | None = None  # what it was made with

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, LayerV)
            and (self.name, self.dtype) == (other.name, other.dtype)
            and dict(self.layer.attributes) == dict(other.layer.attributes)
            and (
                self.layer.forward is other.layer.forward
                or (self.arguments is not None and equal(self.arguments, other.arguments))
            )
        )

    __hash__ = None  # type: ignore[assignment]  # attributes may hold values that are not hashable


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list, set, iterator or container module.  ``items`` is None where the number is unknown.

    ``length`` may say even so what size that number is, and ``grown`` what the first of them are: both
    hold for these items, and for no others.
    """

    kind: str  # "list", "set", "iterator", "view" (a range, or of a dict), "modules", "sequential"
    items: tuple[Value, ...] | None
    element: Value = UNKNOWN
    length: Size | None = None
    members: frozenset[Any] | None = None  # of a set of constants: all of them, in no order
    grown: Grown | None = None
    sizes: frozenset[Atom | Pack] | None = field(default=None, init=False, repr=False, compare=False)
    varying: frozenset[Atom | Pack] | None = field(default=None, init=False, repr=False, compare=False)
    outline: int | None = field(default=None, init=False, repr=False, compare=False)
    held: frozenset[int] | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def any_item(self) -> Value:
        """A value that stands for each item."""
        if self.items is None:
            return self.element
        return join_all(self.items, "item") if self.items else self.element


def _is_data(value: Value) -> bool:
    """A list of numbers or texts: what is done with those under some key need not be meant for all."""
    items = value.items if isinstance(value, Sequence) else None
    return bool(items) and all(type(item) in (int, float, str) for item in items or ())


@dataclass(frozen=True, slots=True)
class DictV:
    """A dict or ModuleDict: known items by constant key, and what any other value is.

    ``length`` may say how many there are in all where others are: of these, and of no others.
    """

    items: Mapping[Any, Value]
    rest: Value | None = None  # None: no other keys
    kind: str = "dict"
    length: Size | None = None
    sizes: frozenset[Atom | Pack] | None = field(default=None, init=False, repr=False, compare=False)
    varying: frozenset[Atom | Pack] | None = field(default=None, init=False, repr=False, compare=False)
    outline: int | None = field(default=None, init=False, repr=False, compare=False)
    held: frozenset[int] | None = field(default=None, init=False, repr=False, compare=False)

    def get(self, key: Value) -> Value:
        if isinstance(key, (str, int, float, bool, bytes, type(None))):
            if key in self.items:
                return self.items[key]
            return UNKNOWN if self.rest is None else self.rest
        if isinstance(key, Object) and key in self.items:
            return self.items[key]
        return UNKNOWN if any(map(_is_data, self.items.values())) else self.any_value

    @property
    def any_value(self) -> Value:
        values = [*self.items.values(), *([] if self.rest is None else [self.rest])]
        return join_all(values, "value") if values else UNKNOWN


MAX_OPTIONS = 6


def equal(a: Value, b: Value) -> bool:
    """The same knowledge, so that a fixed point can be recognised."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, Instance):
        sizes = a.arguments == b.arguments and a.axes == b.axes
        return a.info is b.info and sizes and _equal_maps(a.attributes, b.attributes)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(x is y or equal(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, Scalar):
        return a.kind == b.kind and bool(a.proves == b.proves)
    if isinstance(a, Choice):
        return equal(a.options, b.options) and a.proves == b.proves
    if isinstance(a, Sequence):
        if a.kind != b.kind or (a.items is None) != (b.items is None):
            return False
        if a.items is not None:
            return equal(a.items, b.items)
        same = (a.length, a.members, a.grown) == (b.length, b.members, b.grown)
        return same and equal(a.element, b.element)
    if isinstance(a, DictV):
        return a.length == b.length and _equal_maps(a.items, b.items) and equal(a.rest, b.rest)
    return bool(a == b)


def captures_alike(a: FunctionV, b: FunctionV) -> bool:
    """Whether two functions of one ``def`` read the same values of the functions around it."""
    if a.closure is b.closure or a.node in _compared:  # it is among what it reads
        return True
    _compared.add(a.node)
    try:
        return _equal_maps(a.captured, b.captured)
    finally:
        _compared.discard(a.node)


_compared: set[ast.AST] = set()  # local functions whose captured values are being compared


def _equal_maps(a: Mapping[Any, Value], b: Mapping[Any, Value]) -> bool:
    return a is b or (a.keys() == b.keys() and all(v is b[k] or equal(v, b[k]) for k, v in a.items()))


def join_all(values: tuple[Value, ...] | list[Value], key: str) -> Value:
    result = values[0]
    for value in values[1:]:
        result = join(result, value, key)
    return result


class Meet(Protocol):
    """How two objects are joined, and what is told of two values by what has led to each."""

    tells: bool

    def __call__(self, x: Value, y: Value, key: str, /) -> Value:
        """The join of two objects."""

    def told(self, x: Value, y: Value, joined: Value, /) -> Value:
        """The join of two values, with what it proves."""


def join(a: Value, b: Value, key: str = "?", meet: Meet | None = None) -> Value:
    """The least value of the domain that covers both.

    ``key`` names the place of the join, so that the same join gives the same unknown sizes again
    and a loop reaches a fixed point.  ``meet`` joins two objects in place of this, so that what is
    one object in several places stays one.
    """
    if a is b:
        return a
    joined = _joined(a, b, key, meet)
    return joined if meet is None or not meet.tells else meet.told(a, b, joined)


def _joined(a: Value, b: Value, key: str, meet: Meet | None) -> Value:
    if meet is not None and type(a) is type(b) and isinstance(a, (Instance, Sequence, DictV)):
        return meet(a, b, key)
    if (meet is None or type(a) not in (tuple, Fields)) and equal(a, b):
        return replace(a, name="") if isinstance(a, Scalar) and a.name else a
    if a is UNKNOWN or b is UNKNOWN:
        return UNKNOWN
    if isinstance(a, Choice) or isinstance(b, Choice):
        return _join_choice(a, b, key)
    if isinstance(a, Tensor) and isinstance(b, Tensor) and a.library == b.library:
        return join_tensor(a, b, key)  # methods of one name are two functions of torch and of numpy
    if is_size(a) and is_size(b):
        return join_size(a, b, key)
    if number_kind(a) is not None and number_kind(b) is not None:
        return one_of(a, b) or UNKNOWN
    if isinstance(a, Dtype) and isinstance(b, Dtype):
        return Dtype(a.mask | b.mask)
    if isinstance(a, LayerV) and isinstance(b, LayerV) and replace(a, dtype=b.dtype) == b:
        return replace(a, dtype=ANY)  # cast on one of two ways
    if isinstance(a, str) and isinstance(b, str):
        return Object("str")
    return join_parts(a, b, key, meet)


def join_parts(a: Value, b: Value, key: str, meet: Meet | None) -> Value:
    """``join`` of two values that have others inside them, or of different kinds."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        if len(a) != len(b):
            return _join_lengths(a, b)
        joined = [join(x, y, f"{key}.{i}", meet) for i, (x, y) in enumerate(zip(a, b, strict=True))]
        if all(part is x for part, x in zip(joined, a, strict=True)):
            return a
        if isinstance(a, Record) and isinstance(b, Record) and a.names == b.names:
            return type(a)(**dict(zip(a.names, joined, strict=True)))
        return Fields(joined) if isinstance(a, Fields) or isinstance(b, Fields) else tuple(joined)
    if isinstance(a, Sequence) and isinstance(b, Sequence) and a.kind == b.kind:
        return _join_sequence(a, b, key, meet)
    if isinstance(a, DictV) and isinstance(b, DictV):
        for empty, other in ((a, b), (b, a)):
            if not empty.items and empty.rest is None:  # filled in a loop, or on one way only
                return replace(other, rest=UNKNOWN if other.rest is None else other.rest, length=None)
        if a.rest is not None and b.rest is not None and a.items.keys() != b.items.keys():
            return _join_keys(a, b, key, meet)
        both = {k: join(v, b.items[k], f"{key}.{k}", meet) for k, v in a.items.items() if k in b.items}
        if a.rest is b.rest is None and _all_same(both, a.items) and both.keys() == b.items.keys():
            return a
        length = a.length if a.length == b.length else None
        return DictV(both, of_others(join(a.any_value, b.any_value, key)), a.kind, length)
    if isinstance(a, Instance) and isinstance(b, Instance) and a.info is b.info:
        return _join_instance(a, b, key, meet)
    if isinstance(a, Object) and isinstance(b, (Object, str)):
        return a if isinstance(b, Object) and a.name == b.name else UNKNOWN
    return Choice((a, b)) if _may_choose(a) and _may_choose(b) else UNKNOWN


def of_others(value: Value) -> Value:
    """What a dict has under keys that are not told apart; ``None`` would say that there are none."""
    return UNKNOWN if value is None else value


def _join_keys(a: DictV, b: DictV, key: str, meet: Meet | None) -> DictV:
    """Two dicts of which one has other keys than those known of the other: there it is any of the rest."""
    items = {
        k: join(a.items.get(k, a.rest), b.items.get(k, b.rest), f"{key}.{k}", meet)
        for k in {**a.items, **b.items}
    }
    length = a.length if a.length == b.length else None
    return DictV(items, join(a.rest, b.rest, key, meet), a.kind, length)


def _join_lengths(a: tuple[Value, ...], b: tuple[Value, ...]) -> Value:
    """``(hidden,)`` or ``(hidden, weights)``; what is filled from nothing has no length that is known."""
    plain = type(a) is type(b) is tuple and a and b and not any(isinstance(v, Pack) for v in (*a, *b))
    return Choice((a, b)) if plain else UNKNOWN


def _all_same(a: Mapping[Any, Value], b: Mapping[Any, Value]) -> bool:
    return a.keys() == b.keys() and all(v is b[k] for k, v in a.items())


def _join_sequence(a: Sequence, b: Sequence, key: str, meet: Meet | None) -> Sequence:
    if a.items is not None and b.items is not None and len(a.items) == len(b.items):
        items = join(a.items, b.items, key, meet)
        return a if items is a.items else Sequence(a.kind, items)
    if a.items == ():
        return Sequence(a.kind, None, b.any_item)
    if b.items == ():
        return Sequence(a.kind, None, a.any_item)
    length = a.length if a.items is None and b.items is None and a.length == b.length else None
    members = a.members if a.members == b.members else None
    grown = of_joined(a, b, lambda x, y: join(x, y, f"{key}.later"))
    return Sequence(a.kind, None, join(a.any_item, b.any_item, key), length, members, grown)


def _join_instance(a: Instance, b: Instance, key: str, meet: Meet | None) -> Instance:
    attributes = {
        k: join(v, b.attributes[k], f"{key}.{k}", meet) for k, v in a.attributes.items() if k in b.attributes
    }
    if _all_same(attributes, a.attributes) and replace(b, attributes=a.attributes) == a:
        return a
    arguments = {k: v for k, v in a.arguments.items() if b.arguments.get(k) == v}
    partial = a.partial or b.partial or len(attributes) < max(len(a.attributes), len(b.attributes))
    axes = {k: v for k, v in a.axes.items() if b.axes.get(k) == v}
    assumed, altered = a.assumed or b.assumed, a.altered or b.altered
    return Instance(a.info, attributes, arguments, partial, assumed, altered=altered, axes=axes)


def _may_choose(value: Value) -> bool:
    return value is not UNKNOWN and not isinstance(value, (Bound, Scalar, slice))


def _join_choice(a: Value, b: Value, key: str) -> Value:
    options: list[Value] = list(a.options) if isinstance(a, Choice) else [a]
    for other in b.options if isinstance(b, Choice) else (b,):
        if any(equal(other, option) for option in options):
            continue
        for i, option in enumerate(options):
            merged = join(option, other, key)
            if merged is UNKNOWN:
                return UNKNOWN
            if not isinstance(merged, Choice):
                options[i] = merged
                break
        else:
            options.append(other)
    if len(options) > MAX_OPTIONS:
        return UNKNOWN
    return choice(options)


def choice(options: list[Value]) -> Value:
    """A single value stays itself; an unknown option makes all unknown."""
    if any(option is UNKNOWN for option in options) or not options:
        return UNKNOWN
    return options[0] if len(options) == 1 else Choice(tuple(options))


def options_of(value: Value) -> tuple[Value, ...]:
    return value.options if isinstance(value, Choice) else (value,)


__all__ = [
    "NEVER", "UNKNOWN", "Awaitable", "Bound", "Choice", "ClassV", "DictV", "Dtype", "External", "FunctionV",
    "Instance", "LayerV", "Object", "Partial", "Record", "Scalar", "Sequence", "Size", "SpecV",
    "SuperV", "Tensor", "Unknown", "Value", "choice", "equal", "is_size", "join", "join_all",
    "of_others", "options_of",
]  # fmt: skip
