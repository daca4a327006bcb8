"""Sets: what they hold where all of it is known outright, and what is made of two of them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

from typedtorch.shapes.infer.calls.binding import Args
from typedtorch.shapes.infer.containers.items import items_of, iterate
from typedtorch.shapes.infer.library import folded
from typedtorch.shapes.infer.values.values import UNKNOWN, Sequence, Value, join_all

Members = frozenset[Any]

MOST = 64  # members that are told apart
_OPERATORS: dict[type[ast.operator], str] = {
    ast.Sub: "difference", ast.BitOr: "union", ast.BitAnd: "intersection", ast.BitXor: "symmetric_difference",
}  # fmt: skip
_MADE: dict[str, Callable[..., Members]] = {name: getattr(frozenset, name) for name in _OPERATORS.values()}
_ASKED: dict[str, Callable[..., bool]] = {
    name: getattr(frozenset, name) for name in ("issubset", "issuperset", "isdisjoint")
}
_OF_AN_ITEM = frozenset({"add", "discard", "remove"})
_CHANGED: dict[str, Callable[..., Members]] = {
    "add": frozenset.union, "discard": frozenset.difference, "remove": frozenset.difference,
    "update": frozenset.union, "difference_update": frozenset.difference,
    "intersection_update": frozenset.intersection,
    "symmetric_difference_update": frozenset.symmetric_difference,
}  # fmt: skip


def members(value: Value) -> Members | None:
    """What a set or anything else that can be gone through holds, where all of it is known outright."""
    if isinstance(value, Sequence) and value.members is not None:
        return value.members
    items = items_of(value)
    return None if items is None or len(items) > MOST else _plain(items)


def told_apart(value: Value) -> list[Value] | None:
    """The members of a set, in any order."""
    known = value.members if isinstance(value, Sequence) else None
    return None if known is None else list(known)


def set_of(items: list[Value], place: str) -> Sequence:
    """A set of some items, of which there are as many as differ."""
    if len(items) < 2:
        return Sequence("set", tuple(items))
    try:
        return _made(_plain(items), join_all(items, place))
    except TypeError:  # no items of a set
        return Sequence("set", None, UNKNOWN)


def operate(op: ast.operator, left: Value, right: Value, place: str) -> Value:
    """``left - right`` and the like of sets and of the keys of dicts; unknown for anything else."""
    name = _OPERATORS.get(type(op))
    if name is None or not isinstance(left, Sequence) or not isinstance(right, Sequence):
        return UNKNOWN
    return _combined(name, left, [right], place) if {left.kind, right.kind} <= {"set", "view"} else UNKNOWN


def method(receiver: Sequence, name: str, args: Args, place: str) -> Value:
    """What a method that changes nothing gives; unknown if it is no such method, or not known."""
    if args.open or args.keywords or receiver.kind != "set":
        return UNKNOWN
    if name in _MADE:
        return _combined(name, receiver, args.values, place)
    if name not in _ASKED or len(args.values) != 1:
        return UNKNOWN
    mine, other = members(receiver), members(args.values[0])
    return UNKNOWN if mine is None or other is None else _ASKED[name](mine, other)


def changed(receiver: Sequence, name: str, args: Args, place: str) -> Sequence | None:
    """A set after a method that changes it; None where its members are not known."""
    mine = members(receiver)
    if mine is None or args.open or name not in _CHANGED:
        return None
    given = [_plain(args.values)] if name in _OF_AN_ITEM else [members(value) for value in args.values]
    known = [other for other in given if other is not None]
    if len(known) < len(given):
        return None
    return _of(_CHANGED[name](mine, *known), place)


def _combined(name: str, first: Sequence, others: list[Value], place: str) -> Sequence:
    given = [members(value) for value in (first, *others)]
    known = [other for other in given if other is not None]
    if len(known) == len(given):
        return _of(_MADE[name](*known), place)
    within = name in ("difference", "intersection")
    parts = [first.any_item, *([] if within else [iterate(value, place) for value in others])]
    return Sequence("set", None, join_all(parts, place))


def _of(known: Members, place: str) -> Sequence:
    items = sorted(known, key=repr)
    return Sequence("set", tuple(items)) if len(items) < 2 else _made(known, join_all(items, place))


def _made(known: Members | None, element: Value) -> Sequence:
    if known is None:
        return Sequence("set", None, element)
    few = known if len(known) <= MOST else None
    return Sequence("set", None, element, len(known), members=few)


def _plain(items: Iterable[Value]) -> Members | None:
    plain = folded.plain_list(items)
    try:
        return None if plain is None else frozenset(plain)
    except TypeError:  # lists
        return None
