"""Items of values: those that are known one by one, and a value that stands for each of them."""

from __future__ import annotations

from dataclasses import replace

from typedtorch.shapes.infer.containers import enumerations
from typedtorch.shapes.infer.containers.item_axes import of_a_part, of_this_item
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.values.contents import ONE_ITEM, Substitution, sizes_in, sizes_of_any_item
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    Bound,
    Choice,
    ClassV,
    DictV,
    Instance,
    Object,
    Sequence,
    Tensor,
    Value,
    join,
    join_all,
    of_others,
)
from typedtorch.shapes.rule import Fields
from typedtorch.shapes.size import Atom, Poly, Size, as_poly, counted, integer, unknown
from typedtorch.shapes.tensor import PROMISED, Pack, pack_index

MAX_UNROLL = 12  # items that are followed one by one


def items_of(value: Value) -> list[Value] | None:
    """The items of something iterable whose number is known."""
    if isinstance(value, tuple):
        return None if any(isinstance(v, Pack) for v in value) else list(value)
    if isinstance(value, Sequence):
        return None if value.items is None else list(value.items)
    if isinstance(value, DictV):
        return list(value.items) if value.rest is None else None
    if isinstance(value, str):
        return list(value)
    if isinstance(value, ClassV):
        return enumerations.members(value.info) if value.info.kind.is_enum else None
    if isinstance(value, Instance) and value.info.kind.is_named_tuple and value.info.find("__iter__") is None:
        fields = [_field(value, name) for name in value.info.fields()]
        return None if all(v is UNKNOWN for v in fields) else fields
    return None


def with_item(holder: Sequence, index: Value, value: Value, place: str) -> Sequence:
    """A list in which one item is replaced."""
    items = list(holder.items or ())
    if isinstance(index, int) and -len(items) <= index < len(items):
        items[index] = value
        return replace(holder, items=tuple(items))
    element = value if holder.items == () else join(holder.any_item, value, place)
    in_all = None if isinstance(index, slice) else holder.length if holder.items is None else len(items)
    return Sequence(holder.kind, None, element, in_all)


def without_item(frame: Frame, holder: Value, index: Value) -> None:
    """``del holder[index]``."""
    if isinstance(holder, Sequence):
        items = list(holder.items or ())
        known = isinstance(index, int) and -len(items) <= index < len(items)
        if known:
            del items[index]
        left = replace(holder, items=tuple(items)) if known else Sequence(holder.kind, None, holder.any_item)
        frame.state.replace_value(holder, left)
    elif isinstance(holder, DictV):
        known = isinstance(index, (str, int))
        kept = {k: v for k, v in holder.items.items() if k != index} if known else {}
        rest = holder.rest if known else of_others(holder.any_value)
        frame.state.replace_value(holder, replace(holder, items=kept, rest=rest, length=None))
    elif isinstance(holder, Instance):
        frame.state.replace_value(holder, without_attributes(holder))


def without_attributes(holder: Instance) -> Instance:
    """An object after ``holder[key] = value``: its class says what that does, and often sets an attribute."""
    return replace(holder, attributes={}, partial=True, altered=True)


def _field(value: Instance, name: str) -> Value:
    """A field of a named tuple: what it was given, else what its annotation says."""
    spec = value.info.spec(name)
    if name in value.attributes or spec is None:
        return value.attributes.get(name, UNKNOWN)
    from typedtorch.shapes.infer.classes.annotated_attributes import assume_attribute  # noqa: PLC0415 - it holds this file

    return assume_attribute(value, name, spec)


def iterate(value: Value, place: str) -> Value:
    """A value that stands for each item of an iterable."""
    if isinstance(value, Tensor):
        return tensor_item(value)
    if isinstance(value, tuple):
        return join_all(value, place) if value and not any(isinstance(v, Pack) for v in value) else UNKNOWN
    if isinstance(value, Sequence):
        return value.any_item
    if isinstance(value, DictV):
        return join_all(list(value.items), place) if value.rest is None and value.items else UNKNOWN
    if isinstance(value, bytes) or value == Object("bytes"):
        return unknown(f"?{place}")
    if isinstance(value, str) or value == Object("str"):
        return Object("str")
    if isinstance(value, Choice):
        parts = [iterate(option, place) for option in value.options if option is not None]
        return join_all(parts, place) if parts else UNKNOWN
    return UNKNOWN


def this_one(frame: Frame, each: Value, place: str, which: str = "") -> Value:
    """An item of which it is not known which it is: a size that differs from item to item is this one's.

    What a variable has outside of containers, as the ``n`` of ``[zeros(n) for _ in xs]``, is every item's.
    ``which`` tells the item of a list whose objects it is, wherever it is asked for.
    """
    each = of_this_item(frame, each, which or place)
    if type(each) not in _OF_SIZES:
        return each
    found = {a for a in sizes_in(each) if isinstance(a, Atom) and a.kind in ("opaque", "int")}
    if not found or _has_objects(each):
        return each
    for value in frame.state.variables.values():
        held = sizes_in(value)
        if not held.isdisjoint(found):
            found -= held - sizes_of_any_item(value)
    if not found:
        return each
    own = sorted(found, key=lambda atom: (atom.name, atom.scope))
    return Substitution({atom: _own(atom, f"?{place}", i) for i, atom in enumerate(own)})(each)


def these(frame: Frame, each: Value, place: str) -> Value:
    """Any item of a part of a list: at the same time as any of the whole it is another."""
    apart = of_a_part(frame, each, place)
    if apart is not each:
        return apart
    another = this_one(frame, each, place)
    numbers = [
        a for a in sizes_in(another) if isinstance(a, Atom) and a.kind == "int" and ONE_ITEM in a.scope
    ]
    return Substitution({a: unknown(f"?{a.scope}{a.name}") for a in numbers})(another) if numbers else another


_OF_SIZES = frozenset({Tensor, Poly, tuple, Fields, Choice})


def _has_objects(value: Value) -> bool:
    """Whether something in a value is told by which it is: what changes it is seen wherever it is held."""
    if isinstance(value, (tuple, Choice)):
        return any(map(_has_objects, value.options if isinstance(value, Choice) else value))
    return isinstance(value, (Instance, Sequence, DictV, Bound))


def _own(atom: Atom, place: str, number: int) -> Size:
    """What one item has in the place of a size that differs from item to item."""
    if atom.scope[:1] == "#":
        among = (size for size in atom.operands if isinstance(size, int))
        return counted(atom.name, f"{place}{ONE_ITEM}{number}", atom.whole, *among)
    if atom.kind == "int":
        return integer(atom.name, f"{place}{ONE_ITEM}")
    _, mark, axis_name = atom.name.partition(PROMISED)
    name = f"{place}{ONE_ITEM}{mark}{axis_name}" if mark else f"{place}{ONE_ITEM}{number}"
    return as_poly(Atom("opaque", name, atom.operands))


def tensor_item(tensor: Tensor) -> Value:
    """One item along the first axis."""
    if pack_index(tensor.shape) == 0 or not tensor.shape:
        return tensor.of((Pack("..."),))
    return tensor.of(tensor.shape[1:])
