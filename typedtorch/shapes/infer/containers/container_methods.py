"""Methods of lists, tuples, dicts and containers of modules."""

from __future__ import annotations

import ast
from dataclasses import replace

from typedtorch.shapes.infer.calls.binding import Args
from typedtorch.shapes.infer.calls.late import kept
from typedtorch.shapes.infer.conditions import checks
from typedtorch.shapes.infer.containers import containers, enumerations, mutation, sets, stored
from typedtorch.shapes.infer.containers.defaults import set_default
from typedtorch.shapes.infer.containers.filled import with_more
from typedtorch.shapes.infer.containers.items import items_of, iterate, this_one
from typedtorch.shapes.infer.containers.lengths import length_of
from typedtorch.shapes.infer.expressions import attributes
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.layers import layer_dtype
from typedtorch.shapes.infer.layers.layers import call_sequential
from typedtorch.shapes.infer.layers.registering import with_module
from typedtorch.shapes.infer.library import folded
from typedtorch.shapes.infer.program.index import MUTATORS
from typedtorch.shapes.infer.values.contents import HOLDS_NOTHING
from typedtorch.shapes.infer.values.objects import one_of
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    DictV,
    Sequence,
    Value,
    is_size,
    join,
)
from typedtorch.shapes.size import Size, product, unknown


def call_method(
    frame: Frame, receiver: Sequence | DictV | tuple[Value, ...], name: str, args: Args, node: ast.AST
) -> Value:
    """A method of a list, tuple, dict or container module."""
    if name in attributes.SELF_METHODS and getattr(receiver, "kind", "") in ("modules", "sequential"):
        return layer_dtype.cast(frame, receiver, name, args)
    if name in MUTATORS:
        args = replace(args, values=[kept(frame, v, getattr(node, "lineno", 0)) for v in args.values])
    args = stored.put(frame, args, name, node)
    if isinstance(receiver, DictV):
        if name in ("get", "pop"):
            checks.looked_up(frame, receiver, args.get(0, "key", UNKNOWN))
        return _dict_method(frame, receiver, name, args, node)
    if isinstance(receiver, Sequence):
        return _list_method(frame, receiver, name, args, node)
    if name == "numel" and all(is_size(v) for v in receiver):
        return product(receiver)
    if (made := folded.method(receiver, name, args)) is not folded.NOT_FOLDED:
        return made
    if name in ("index", "count", "numel"):
        return unknown(f"?{frame.place(node)}")
    return UNKNOWN


def _list_method(frame: Frame, receiver: Sequence, name: str, args: Args, node: ast.AST) -> Value:
    if name == "copy":
        return replace(receiver)
    if name == "forward":
        return call_sequential(frame, receiver, args, node)
    if (made := folded.method(receiver, name, args)) is not folded.NOT_FOLDED:
        return made
    if (made := sets.method(receiver, name, args, frame.place(node))) is not UNKNOWN:
        return made
    if name in ("index", "count", "__len__"):
        return unknown(f"?{frame.place(node)}")
    result: Value = None
    if name in ("pop", "popleft"):
        index = 0 if name == "popleft" else args.get(0, "index", -1)
        result, updated = _popped(receiver, index)
        if receiver.items is None or not isinstance(index, int):
            result = this_one(frame, result, frame.place(node))
    else:
        after = _changed(frame, receiver, name, args, node)
        if after is None:
            return UNKNOWN
        updated = after
        result = updated if receiver.kind in ("modules", "sequential") else None  # they give themselves
    if updated is not receiver:
        mutation.changed(frame, receiver, updated, node)
    return result


def _popped(receiver: Sequence, index: Value) -> tuple[Value, Sequence]:
    """What ``pop`` gives, and the list that is left."""
    items = receiver.items
    if items and isinstance(index, int) and -len(items) <= index < len(items) and receiver.kind != "set":
        index %= len(items)
        return items[index], replace(receiver, items=(*items[:index], *items[index + 1 :]))
    if items == ():
        return receiver.any_item, receiver
    return receiver.any_item, Sequence(receiver.kind, None, receiver.any_item, _longer(receiver, -1))


def _longer(receiver: Sequence, more: Size | None) -> Size | None:
    """How many items a list has with some more of them."""
    known = None if receiver.kind != "list" or more is None else length_of(receiver)
    return None if known is None or more is None else known + more


def _changed(frame: Frame, receiver: Sequence, name: str, args: Args, node: ast.AST) -> Sequence | None:
    """The list after a method that changes it; None where it is not known as such a method."""
    items, values, place = receiver.items, args.values, frame.place(node)
    if receiver.kind == "set" and (known := sets.changed(receiver, name, args, place)) is not None:
        return known
    if receiver.kind == "set" and items:  # of which some may be equal
        return _changed(frame, Sequence("set", None, receiver.any_item), name, args, node)
    at_either_end = items is None or items == ()
    if values and (name in ("append", "add") or (name == "appendleft" and at_either_end)):
        return _appended(receiver, values[0], place)
    if name in ("extend", "update", "__iadd__") and values:
        more = items_of(values[0])
        if items is not None and more is not None and receiver.kind not in _UNCOUNTED:
            return replace(receiver, items=(*items, *more))
        each = iterate(values[0], place)
        each = each if items == () else join(receiver.any_item, each, place)
        grown = with_more(receiver, iterate(values[0], place), place)
        return Sequence(receiver.kind, None, each, _longer(receiver, length_of(values[0])), grown=grown)
    if name in ("add_module", "register_module"):
        named = args.get(0, "name", UNKNOWN)
        new = isinstance(named, str) and not named.isdigit() and receiver.kind == "sequential"
        return with_module(receiver, args.get(1, "module", UNKNOWN) if new else UNKNOWN)
    if name == "insert" and len(values) == 2:
        if items is not None and isinstance(values[0], int) and 0 <= values[0] <= len(items):
            return replace(receiver, items=(*items[: values[0]], values[1], *items[values[0] :]))
        joined = join(receiver.any_item, values[1], place)
        return Sequence(receiver.kind, None, joined, _longer(receiver, 1))
    if name == "clear":
        return replace(receiver, items=(), length=None, members=None, grown=None)
    if name in ("appendleft", "extendleft", "fromlist", "__setitem__", "__delitem__", "__imul__"):
        return Sequence(receiver.kind, None, UNKNOWN)
    if name == "reverse":
        return replace(receiver, items=None if items is None else items[::-1], grown=None)
    if name == "sort" and receiver.kind == "list":
        made = containers.sorted_(frame, replace(args, values=[receiver]), node)
        return replace(made) if isinstance(made, Sequence) else None
    if name == "remove" and isinstance(index := folded.method(receiver, "index", args), int) and items:
        return replace(receiver, items=(*items[:index], *items[index + 1 :]))
    if name in ("sort", "shuffle", "remove", "rotate", "discard"):
        return Sequence(receiver.kind, None, receiver.any_item)
    return None


# a set holds equal items once, a deque of a maximal length drops some
_UNCOUNTED = frozenset({"set", "deque"})


def _appended(receiver: Sequence, value: Value, place: str) -> Sequence:
    if receiver.kind in _UNCOUNTED:
        each = value if receiver.items == () else join(receiver.any_item, value, place)
        return Sequence(receiver.kind, None, each)
    if receiver.items is None or len(receiver.items) >= 16:
        grown = with_more(receiver, value, place)
        joined = join(receiver.any_item, value, place)
        return Sequence(receiver.kind, None, joined, _longer(receiver, 1), grown=grown)
    return replace(receiver, items=(*receiver.items, value))


def _dict_method(frame: Frame, receiver: DictV, name: str, args: Args, node: ast.AST) -> Value:
    key = args.get(0, "key", UNKNOWN)
    match name:
        case "get":
            default = args.get(1, "default", None)
            if enumerations.is_key(key) and key in receiver.items:
                return receiver.items[key]
            if enumerations.is_key(key) and receiver.rest is None and receiver.kind == "dict":
                return default
            joined = join(this_one(frame, receiver.get(key), frame.place(node)), default, frame.place(node))
            if not isinstance(joined, (Sequence, DictV)):
                return joined
            held = (*receiver.items.values(), receiver.rest, default)
            lists = tuple(v for v in held if type(v) is type(joined))
            return one_of(frame.state.variables, frame.place(node), joined, lists)
        case "items":
            if receiver.rest is None:
                return Sequence("view", tuple(receiver.items.items()))
            return Sequence("view", None, (UNKNOWN, receiver.any_value), receiver.length)
        case "values":
            if receiver.rest is None:
                return Sequence("view", tuple(receiver.items.values()))
            return Sequence("view", None, receiver.any_value, receiver.length)
        case "keys":
            if receiver.rest is None:
                return Sequence("view", tuple(receiver.items))
            return UNKNOWN if receiver.length is None else Sequence("view", None, UNKNOWN, receiver.length)
        case "copy":
            return replace(receiver)
        case "pop" | "setdefault" if enumerations.is_key(key) and key in receiver.items:
            left = {k: v for k, v in receiver.items.items() if k != key or name == "setdefault"}
            if len(left) < len(receiver.items):
                frame.state.replace_value(receiver, replace(receiver, items=left, length=None))
            return receiver.items[key]
        case "setdefault" if receiver.kind == "dict" and args.values and not args.open:
            return set_default(frame, receiver, key, args.get(1, "default", None), frame.place(node))
        case "pop" | "setdefault":
            value = this_one(frame, receiver.get(key), frame.place(node))
            if len(args.values) > 1:
                value = join(value, args.values[1], frame.place(node))
            if enumerations.is_key(key) and receiver.rest is None and receiver.kind == "dict":
                return args.get(1, "default", None)
            frame.state.replace_value(receiver, _one_less(receiver))
            return value
        case "popitem":
            frame.state.replace_value(receiver, _one_less(receiver))
            return UNKNOWN, this_one(frame, receiver.any_value, frame.place(node))
        case "move_to_end" if enumerations.is_key(key) and key in receiver.items:
            others = {k: v for k, v in receiver.items.items() if k != key}
            last = args.get(1, "last", True)
            ends = [others, {key: receiver.items[key]}] if last else [{key: receiver.items[key]}, others]
            moved = {k: v for part in ends for k, v in part.items()} if isinstance(last, bool) else {}
            frame.state.replace_value(
                receiver, replace(receiver, items=moved, rest=receiver.rest if moved else UNKNOWN)
            )
            return None
        case "move_to_end":
            frame.state.replace_value(receiver, replace(_one_less(receiver), length=receiver.length))
            return None
        case "update":
            other = args.values[0] if args.values else DictV({})
            if isinstance(other, DictV) and other.rest is None and not args.open:
                merged = {**receiver.items, **other.items, **args.keywords}
                frame.state.replace_value(receiver, replace(receiver, items=merged, length=None))
            else:
                frame.state.replace_value(receiver, DictV({}, UNKNOWN, receiver.kind))
            return None
        case "clear":  # asked again, a defaultdict may make another value for any key
            frame.state.replace_value(receiver, replace(receiver, items={}, length=None))
            return None
        case "__setitem__" | "__delitem__" | "add_module" | "register_module":
            frame.state.replace_value(receiver, DictV({}, UNKNOWN, receiver.kind))
    return UNKNOWN


def _one_less(receiver: DictV) -> DictV:
    """A dict without one of its items, whichever it was, or in another order."""
    held = list(receiver.items.values())
    if not held:
        return replace(receiver, length=None)
    told = len(held) == 1 and receiver.rest is None
    together = told or all(type(v) in HOLDS_NOTHING for v in (*held, receiver.rest))
    return replace(receiver, items={}, rest=receiver.any_value if together else UNKNOWN, length=None)


__all__ = ["call_method"]
