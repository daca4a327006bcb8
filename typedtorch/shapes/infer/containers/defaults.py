"""What a dict gives for a key that it may not have: ``setdefault``, ``defaultdict``.

``groups[k].append(row)`` for any ``k``: what is known of the lists is known of all of them together.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from typedtorch.shapes.infer.calls.binding import Args
from typedtorch.shapes.infer.classes.updates import emptied
from typedtorch.shapes.infer.containers import enumerations
from typedtorch.shapes.infer.containers.items import this_one
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.values.contents import HOLDS_NOTHING
from typedtorch.shapes.infer.values.objects import CHANGING
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    DictV,
    Sequence,
    Tensor,
    Value,
    equal,
    join,
    of_others,
)


def defaultdict(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``defaultdict(list)``, or of another function that makes a list, a dict or a tensor."""
    if len(args.values) != 1 or args.open or args.keywords:
        return DictV({}, UNKNOWN)
    made = frame.call(args.values[0], Args(), node)
    return DictV({}, made if isinstance(made, (Sequence, DictV, Tensor)) else UNKNOWN)


def set_default(frame: Frame, receiver: DictV, key: Value, default: Value, place: str) -> Value:
    """``receiver.setdefault(key, default)``: the value of a key, which is there from now on."""
    named = enumerations.is_key(key)
    if named and key in receiver.items:
        return receiver.items[key]
    if receiver.items and not named:
        return _any_of(frame, receiver, default, place)
    value = default
    if receiver.rest is not None:
        joined = join(receiver.rest, default, place)
        value = receiver.rest if equal(joined, receiver.rest) else joined
    items = {**receiver.items, key: value} if named else receiver.items
    rest = of_others(value) if receiver.rest is not None or not named else None
    frame.state.replace_value(receiver, replace(receiver, items=items, rest=rest, length=None))
    for other in (receiver.rest, default):  # by whatever other name it is held
        if other is not value and isinstance(other, CHANGING):
            frame.state.replace_value(other, value)
    return this_one(frame, value, place)


def _any_of(frame: Frame, receiver: DictV, default: Value, place: str) -> Value:
    """One of the values by name, or another: lists are no longer told apart."""
    held = [*receiver.items.values(), default, *([] if receiver.rest is None else [receiver.rest])]
    if not all(type(value) in HOLDS_NOTHING for value in held):
        frame.state.replace_value(receiver, replace(receiver, items={}, rest=UNKNOWN, length=None))
        for value in held:
            frame.state.replace_value(value, emptied(value))
        return UNKNOWN
    rest = of_others(default) if receiver.rest is None else join(receiver.rest, default, place)
    updated = replace(receiver, rest=rest, length=None)
    frame.state.replace_value(receiver, updated)
    return this_one(frame, updated.any_value, place)


__all__ = ["defaultdict", "set_default"]
