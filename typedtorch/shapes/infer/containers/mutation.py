"""Lists and dicts that change in place: one of several, or all that an unknown call is given."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace

from typedtorch.shapes.infer.calls.binding import Args
from typedtorch.shapes.infer.calls.inner_changes import handed_over
from typedtorch.shapes.infer.classes import updates
from typedtorch.shapes.infer.conditions.places import look
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.layers import layer_dtype
from typedtorch.shapes.infer.values.contents import HOLDS_NOTHING, parts_of
from typedtorch.shapes.infer.values.values import UNKNOWN, DictV, Sequence, Tensor, Value, join


def changed(frame: Frame, receiver: Value, updated: Value, source: ast.AST) -> None:
    """The list or dict that ``source`` gave, or whose method it calls, is another one now.

    ``kept[name].append(row)`` changes one of the lists in ``kept``; any of them may be that one.
    """
    if isinstance(source, ast.Call) and isinstance(source.func, ast.Attribute):
        source = source.func.value
    place = _place_in(source)
    if place is not None:
        holder, index = look(frame, place[0]), look(frame, place[1])
        if isinstance(holder, (DictV, Sequence)) and not isinstance(index, (str, int)):
            now = _one_of(holder, updated, frame.place(source))
            changed(frame, holder, now, place[0])
            if isinstance(holder, DictV) and isinstance(holder.rest, (DictV, Sequence)):
                frame.state.replace_value(holder.rest, now.rest)  # by whatever other name it is held
            return
        if isinstance(holder, DictV) and index not in holder.items and type(holder.rest) is type(updated):
            one = join(holder.rest, updated, frame.place(source))
            changed(frame, holder, replace(holder, items={**holder.items, index: one}), place[0])
            return
    frame.state.replace_value(receiver, updated)


def _place_in(source: ast.AST) -> tuple[ast.expr, ast.expr] | None:
    """The list or dict that an expression reads an item of, and which one."""
    match source:
        case ast.Subscript(value=ast.Name() | ast.Attribute() | ast.Subscript() as holder, slice=index):
            return holder, index
        case ast.Call(
            func=ast.Attribute(value=ast.Name() | ast.Attribute() as holder, attr="setdefault"),
            args=[index, _],
        ):
            return holder, index
    return None


def _one_of(holder: DictV | Sequence, updated: Value, place: str) -> Value:
    """What a list or dict is when one of the things it holds, whichever it is, was changed."""
    if isinstance(holder, DictV):
        items = {k: join(v, updated, f"{place}.{k}") for k, v in holder.items.items()}
        rest = None if holder.rest is None else join(holder.rest, updated, place)
        return replace(holder, items=items, rest=rest)
    if holder.items is None:
        return replace(holder, element=join(holder.element, updated, place), grown=None)
    return replace(holder, items=tuple(join(v, updated, f"{place}.{i}") for i, v in enumerate(holder.items)))


def forget(frame: Frame, args: Args) -> Value:
    """The result of an unknown call, which may change the containers and objects it is given."""
    given = args.every()
    forget_contents(frame, [*given, *map(tuple, map(parts_of, args.spread))])
    for value in given:
        if updates.is_placeholder(value) and isinstance(value, Tensor):  # what is to hold the result
            frame.state.replace_value(value, UNKNOWN)
        elif not isinstance(value, (Sequence, DictV)):
            layer_dtype.forget(frame, value)
    handed_over(frame, given)
    return UNKNOWN


def forget_contents(frame: Frame, values: Iterable[Value]) -> None:
    """What is in containers that something unknown may change, and in those that they hold."""
    for value in values:
        if isinstance(value, Sequence) and value.kind in ("list", "deque"):
            frame.state.replace_value(value, Sequence(value.kind, None, UNKNOWN))
        elif isinstance(value, Sequence) and value.kind == "iterator":  # it may take some of the items
            frame.state.replace_value(value, Sequence(value.kind, None, value.any_item))
        elif isinstance(value, DictV):
            frame.state.replace_value(value, DictV({}, UNKNOWN, value.kind))
        if isinstance(value, (tuple, Sequence, DictV)):
            forget_contents(frame, [part for part in parts_of(value) if type(part) not in HOLDS_NOTHING])
