"""Lists, tuples, dicts and torch's container modules."""

from __future__ import annotations

import ast
import itertools
from dataclasses import replace

from typedtorch.shapes import dtypes
from typedtorch.shapes.infer.calls.binding import Args, Special
from typedtorch.shapes.infer.calls.inner_changes import handed_over
from typedtorch.shapes.infer.conditions import checks
from typedtorch.shapes.infer.containers import lengths, sets
from typedtorch.shapes.infer.containers.items import (
    MAX_UNROLL,
    items_of,
    iterate,
    this_one,
    without_attributes,
)
from typedtorch.shapes.infer.expressions import comparing
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.layers.surgery import setattr_
from typedtorch.shapes.infer.library import folded
from typedtorch.shapes.infer.reports.messages import check_items
from typedtorch.shapes.infer.statements import iteration
from typedtorch.shapes.infer.statements.ages import aged
from typedtorch.shapes.infer.statements.turns import Held
from typedtorch.shapes.infer.values.contents import sizes_in
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    DictV,
    Instance,
    Partial,
    Sequence,
    Tensor,
    Value,
    is_size,
    join,
    of_others,
)
from typedtorch.shapes.size import unknown


def castable(value: Value) -> Value:
    """A parameter or buffer: ``module.to(bfloat16)`` may cast it to another float dtype."""
    if isinstance(value, Tensor) and value.dtype & dtypes.FLOAT:
        return replace(value, dtype=value.dtype | dtypes.FLOAT)
    return value


def _each(frame: Frame, value: Value, node: ast.AST) -> Value:
    return iterate(value, frame.place(node))


def _make(kind: str) -> Special:
    def handler(frame: Frame, args: Args, node: ast.AST) -> Value:
        if not args.values:
            return Sequence(kind, ())
        items = items_of(args.values[0])
        if items is not None:
            return sets.set_of(items, frame.place(node)) if kind == "set" else Sequence(kind, tuple(items))
        check_items(frame, args.values[0], args.nodes[0])
        length = None if kind == "set" else lengths.length_of(args.values[0])
        return Sequence(kind, None, _each(frame, args.values[0], node), length)

    return handler


def deque(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``deque(xs, maxlen)``: one with a maximum drops items at one end when others come to the other."""
    made = _make("list")(frame, args, node)
    bounded = args.open or args.get(1, "maxlen", None) is not None
    if not bounded or not isinstance(made, Sequence):
        return made
    return Sequence("deque", ()) if made.items == () else Sequence("deque", None, made.any_item)


def to_tuple(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``tuple(xs)``."""
    if not args.values:
        return ()
    if isinstance(args.values[0], tuple):
        return args.values[0]
    items = items_of(args.values[0])
    if items is not None:
        return tuple(items)
    return Sequence("list", None, _each(frame, args.values[0], node), lengths.length_of(args.values[0]))


def to_dict(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``dict(pairs, key=value)``."""
    base = args.values[0] if args.values else DictV({})
    pairs = items_of(base) if isinstance(base, Sequence) else None
    if pairs and all(isinstance(p, tuple) and len(p) == 2 and isinstance(p[0], str) for p in pairs):
        base = DictV(dict(pairs))
    elif isinstance(base, Sequence) and isinstance(base.any_item, tuple) and len(base.any_item) == 2:
        base = DictV({}, of_others(base.any_item[1]))
    if not isinstance(base, DictV) or args.open:
        return DictV({}, UNKNOWN)
    return DictV({**base.items, **args.keywords}, base.rest)


def from_keys(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``dict.fromkeys(keys, value)``."""
    keys = items_of(args.values[0]) if args.values and not args.open else None
    if keys is None or not all(isinstance(key, (str, int)) for key in keys):
        return DictV({}, UNKNOWN)
    return DictV(dict.fromkeys(keys, args.values[1] if len(args.values) > 1 else None))


def zip_(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``zip(xs, ys)``."""
    if args.keywords.get("strict") is True:
        checks.ask(frame, tuple(map(lengths.length_of, args.values)))
    lists = [items_of(v) for v in args.values]
    known = [items for items in lists if items is not None]
    read = [id(v) for v in args.values if isinstance(v, Sequence) and v.kind == "iterator"]
    if not args.open and len(known) == len(lists) and known:
        once = {id(v): iter(items) for v, items in zip(args.values, known, strict=True)}
        shared = (
            once[id(v)] if id(v) in read else iter(items) for v, items in zip(args.values, known, strict=True)
        )
        return Sequence("iterator", tuple(zip(*shared, strict=False)))
    if args.open:
        return _transposed(args)
    if not lists:
        return UNKNOWN  # zip(*rows) of a list that was empty to begin with
    each = tuple(_each(frame, v, node) for v in args.values)
    in_turns = len(set(read)) < len(read)  # zip(*[xs] * n) of an iterator: n of its items together
    if in_turns:
        each = tuple(this_one(frame, v, f"{frame.place(node)}.{i}") for i, v in enumerate(each))
    return Sequence("iterator", None, each, None if in_turns else lengths.common(args.values))


def _transposed(args: Args) -> Value:
    """``zip(*pairs)`` of any number of pairs: all that come first, and all that come second."""
    if len(args.values) != 1 or not args.spread or not isinstance(args.spread[0], Sequence):
        return UNKNOWN
    parts, length = items_of(args.spread[0].any_item), lengths.length_of(args.spread[0])
    if parts is None:
        return UNKNOWN
    return Sequence("iterator", tuple(Sequence("list", None, part, length) for part in parts))


def enumerate_(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``enumerate(xs, start)``."""
    items = items_of(args.values[0]) if args.values else None
    start = args.get(1, "start", 0)
    if items is not None and isinstance(start, int):
        return Sequence("iterator", tuple((start + i, v) for i, v in enumerate(items)))
    each = _each(frame, args.values[0], node) if args.values else UNKNOWN
    pair = unknown(f"?{frame.place(node)}"), each
    return Sequence("iterator", None, pair, lengths.common(args.values[:1]))


def reversed_(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``reversed(xs)``."""
    items = items_of(args.values[0]) if args.values else None
    if items is not None:
        return Sequence("iterator", tuple(reversed(items)))
    each = _each(frame, args.values[0], node) if args.values else UNKNOWN
    return Sequence("iterator", None, each, lengths.common(args.values))


def iterator(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``iter(xs)``."""
    return _make("iterator")(frame, args, node)


def sorted_(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``sorted(xs, key=...)``: the same items, in an order that the keys tell where they are known."""
    if not args.values:
        return UNKNOWN
    items = items_of(args.values[0])
    if items is None and "key" not in args.keywords:  # items of equal keys stay as the set has them
        items = sets.told_apart(args.values[0])
    handed_over(frame, args.keywords.values())
    order = None if items is None else _order(frame, items, args, node)
    if items is not None and order is not None:
        return Sequence("list", tuple(items[i] for i in order))
    return Sequence("list", None, _each(frame, args.values[0], node), lengths.length_of(args.values[0]))


def _order(frame: Frame, items: list[Value], args: Args, node: ast.AST) -> list[int] | None:
    """The indices of items in the order of their keys."""
    key, reverse = args.keywords.get("key"), args.keywords.get("reverse", False)
    if args.open or len(items) > MAX_UNROLL or not isinstance(reverse, bool):
        return None
    if key is not None:
        items = [frame.call(key, Args([item], [None]), node) for item in items]
    keys = folded.plain_list(items)
    try:
        return None if keys is None else sorted(range(len(keys)), key=keys.__getitem__, reverse=reverse)
    except TypeError:
        return None


def next_(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``next(xs, default)``: the first of the items that are left, or any of them."""
    if args.values and isinstance(args.values[0], Instance) and args.values[0].info.find("__next__"):
        return iteration.method(frame, args.values[0], "__next__", (), node)
    each = this_one(frame, _each(frame, args.values[0], node), frame.place(node)) if args.values else UNKNOWN
    given = args.values[0] if args.values else UNKNOWN
    if isinstance(given, Sequence) and given.kind == "iterator":  # it has one item less from here on
        frame.state.replace_value(given, Sequence("iterator", None, given.any_item))
        if given.items:
            return given.items[0]
        if given.items == () and len(args.values) > 1:
            return args.values[1]
    return each if len(args.values) < 2 else join(each, args.values[1], frame.place(node))


def vars_(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``vars(x)``: whoever has it may put anything into it."""
    for value in args.values:
        if isinstance(value, Instance):
            frame.state.replace_value(value, without_attributes(value))
        elif isinstance(value, DictV):
            frame.state.replace_value(value, replace(value, items={}, rest=UNKNOWN, length=None))
    return UNKNOWN


def map_(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``map(f, xs, ...)``: f is called on each item."""
    if len(args.values) < 2 or args.open:
        return UNKNOWN
    nodes = list(args.nodes[1:])
    lists = [items_of(v) for v in args.values[1:]]
    known = [items for items in lists if items is not None]
    if len(known) == len(lists) and max(map(len, known)) <= 8:
        held, before = Held(frame, frame.place(node), [args.values[0]]), sizes_in((*map(tuple, known),))
        results = [
            aged(frame.call(held.item(0), Args(list(row), list(nodes)), node), node, f"'{turn}", before)
            for turn, row in enumerate(zip(*known, strict=False))
        ]
        held.drop()
        return Sequence("iterator", tuple(results))
    row = [_each(frame, v, node) for v in args.values[1:]]
    made = frame.call(args.values[0], Args(row, nodes), node)
    return Sequence("iterator", None, made, lengths.common(args.values[1:]))


def filter_(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``filter(f, xs)``: some of the items."""
    items = items_of(args.values[1]) if len(args.values) == 2 and not args.open else None
    if items is not None and len(items) <= MAX_UNROLL:
        test = args.values[0]
        asked = [v if test is None else frame.call(test, Args([v], [None]), node) for v in items]
        verdicts = [comparing.truth(v) for v in asked]
        if None not in verdicts:
            return Sequence("iterator", tuple(itertools.compress(items, verdicts)))
        checks.passed(frame, asked)
    return Sequence("iterator", None, _each(frame, args.values[1], node)) if len(args.values) > 1 else UNKNOWN


def sum_(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``sum`` of integers or of tensors."""
    items = items_of(args.values[0]) if args.values else None
    start = total = args.get(1, "start", 0)
    if items is not None and all(is_size(v) for v in (start, *items)):
        for item in items:
            total = total + item
        return total
    values = items if items else [_each(frame, args.values[0], node)] * 2 if args.values else []
    values = values if is_size(start) else [start, *values]
    if values and all(map(is_size, values)) and is_size(start):
        return unknown(f"?{frame.place(node)}")
    if not values or not all(isinstance(v, Tensor) for v in values):
        return UNKNOWN
    total = values[0]
    for value in values[1:]:
        where = args.nodes[0]
        total = frame.call_method(total, "__add__", (value,), {}, node, (where, where))
    return total


def partial(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``functools.partial(f, ...)``."""
    if not args.values or args.open:
        return UNKNOWN
    return Partial(args.values[0], tuple(args.values[1:]), dict(args.keywords))


def namespace(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``types.SimpleNamespace(width=64)``: attributes, which may be assigned later."""
    return UNKNOWN if args.values else DictV(dict(args.keywords), UNKNOWN if args.open else None, "namespace")


SPECIAL: dict[str, Special] = {
    "types.SimpleNamespace": namespace, "argparse.Namespace": namespace,
    "builtins.setattr": setattr_, "builtins.object.__setattr__": setattr_, "builtins.vars": vars_,
    "builtins.list": _make("list"), "builtins.set": _make("set"), "builtins.frozenset": _make("set"),
    "builtins.tuple": to_tuple, "builtins.dict.fromkeys": from_keys,
    "builtins.dict": to_dict, "builtins.zip": zip_, "builtins.enumerate": enumerate_,
    "builtins.reversed": reversed_, "builtins.iter": iterator, "builtins.sorted": sorted_,
    "builtins.next": next_, "builtins.map": map_, "builtins.filter": filter_, "builtins.sum": sum_,
    "functools.partial": partial, "collections.deque": deque, "collections.OrderedDict": to_dict,
    "tqdm.tqdm": iterator, "tqdm.auto.tqdm": iterator, "tqdm.trange": lambda f, a, n: UNKNOWN,
}  # fmt: skip


# -- container modules ------------------------------------------------------------------------


def sequential(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``nn.Sequential``, of modules or of a dict of them."""
    if args.open:
        return Sequence("sequential", None, _repeated(args))
    if len(args.values) == 1 and isinstance(args.values[0], DictV) and args.values[0].rest is None:
        return Sequence("sequential", tuple(args.values[0].items.values()))
    return Sequence("sequential", tuple(args.values))


def _repeated(args: Args) -> Value:
    """What each module is in ``Sequential(*[Block(d) for _ in range(n)])``."""
    alone = len(args.values) == 1 and not args.keywords and len(args.spread) == 1
    each = args.spread[0] if alone else None
    return each.any_item if isinstance(each, Sequence) else UNKNOWN


def module_dict(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``nn.ModuleDict``."""
    value = args.get(0, "modules", DictV({}))
    return replace(value, kind="modules") if isinstance(value, DictV) else DictV({}, UNKNOWN, "modules")


def parameter_list(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``nn.ParameterList``: its items follow the dtype of the module."""
    made = _make("modules")(frame, args, node)
    assert isinstance(made, Sequence)
    items = None if made.items is None else tuple(castable(v) for v in made.items)
    return replace(made, items=items, element=castable(made.element), grown=None)


MODULES: dict[str, Special] = {
    "torch.nn.Sequential": sequential, "torch.nn.ModuleList": _make("modules"),
    "torch.nn.ModuleDict": module_dict, "torch.nn.ParameterList": parameter_list,
    "torch.nn.ParameterDict": module_dict,
}  # fmt: skip


__all__ = ["MODULES", "SPECIAL", "castable", "sequential", "sorted_"]
