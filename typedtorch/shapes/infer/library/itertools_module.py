"""The functions of Python's ``itertools``, and ``functools.reduce``: what they give, one after another."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from typedtorch.shapes.infer.calls.binding import Args, Special
from typedtorch.shapes.infer.containers import mutation
from typedtorch.shapes.infer.containers.items import MAX_UNROLL, items_of, iterate, these, this_one
from typedtorch.shapes.infer.containers.lengths import common, cut, length_of
from typedtorch.shapes.infer.expressions.comparing import truth
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.library.folded import LONGEST
from typedtorch.shapes.infer.statements.iteration import gone_through
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    External,
    Sequence,
    Value,
    equal,
    is_size,
    join,
    join_all,
)
from typedtorch.shapes.size import Size, unknown
from typedtorch.shapes.size import product as size_of


def _each(frame: Frame, value: Value, node: ast.AST) -> Value:
    return iterate(gone_through(frame, value, node), frame.place(node))


def _iterator(element: Value, length: Size | None = None) -> Sequence:
    return Sequence("iterator", None, element, length)


def _few(items: Iterable[Value]) -> Sequence | None:
    """An iterator over values one by one; None where they are many."""
    found = tuple(itertools.islice(items, LONGEST + 1))
    return Sequence("iterator", found) if len(found) <= LONGEST else None


def _plain(args: Args, least: int, *keywords: str) -> bool:
    return not args.open and len(args.values) >= least and args.keywords.keys() <= set(keywords)


def _alone(function: Special) -> Special:
    """A function that asks its arguments for items by and by: of an iterator that others ask too, for any."""

    def handler(frame: Frame, args: Args, node: ast.AST) -> Value:
        if any(map(_is_named, args.values, args.nodes)):
            values = [
                _iterator(v.any_item) if _is_named(v, at) else v
                for v, at in zip(args.values, args.nodes, strict=True)
            ]
            args = replace(args, values=values)
        return function(frame, args, node)

    return handler


def _is_named(value: Value, node: ast.expr | None) -> bool:
    return isinstance(value, Sequence) and value.kind == "iterator" and not isinstance(node, ast.Call)


# -- the same items ---------------------------------------------------------------------------


def islice(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``islice(xs, stop)`` and ``islice(xs, start, stop, step)``."""
    if not _plain(args, 2):
        return mutation.forget(frame, args)
    given, index = args.values[0], slice(*args.values[1:4])
    items, numbers = items_of(given), (index.start, index.stop, index.step)
    if items is not None and all(n is None or isinstance(n, int) for n in numbers):
        try:
            made = tuple(itertools.islice(items, *numbers))
        except ValueError:
            return UNKNOWN
        return Sequence("iterator", made)
    counted = isinstance(given, Sequence) and given.kind != "iterator"
    return _iterator(_each(frame, given, node), cut(length_of(given), index) if counted else None)


def _some(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``takewhile(f, xs)``, ``dropwhile`` and ``filterfalse``: some of the items, of which ``f`` is asked."""
    if not _plain(args, 2):
        return mutation.forget(frame, args)
    each = _each(frame, args.values[1], node)
    if args.values[0] is not None:
        frame.call(args.values[0], Args([this_one(frame, each, frame.place(node))], [None]), node)
    return _iterator(each)


def compress(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``compress(xs, selectors)``."""
    if not _plain(args, 1, "selectors"):
        return mutation.forget(frame, args)
    items, chosen = items_of(args.values[0]), items_of(args.get(1, "selectors", UNKNOWN))
    verdicts = [truth(value) for value in chosen or ()]
    if items is not None and chosen is not None and None not in verdicts:
        return Sequence("iterator", tuple(itertools.compress(items, verdicts)))
    return _iterator(_each(frame, args.values[0], node))


def cycle(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``cycle(xs)``."""
    return _iterator(_each(frame, args.values[0], node)) if _plain(args, 1) else mutation.forget(frame, args)


def tee(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``tee(xs, n)``: several iterators over the same."""
    count = args.get(1, "n", 2)
    if not _plain(args, 1, "n") or not isinstance(count, int) or not 0 <= count <= MAX_UNROLL:
        return mutation.forget(frame, args)
    items, length = items_of(args.values[0]), length_of(args.values[0])
    if items is not None:
        return tuple(Sequence("iterator", tuple(items)) for _ in range(count))
    each = _each(frame, args.values[0], node)
    return tuple(_iterator(each, length) for _ in range(count))


def chain(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``itertools.chain(xs, ys)``."""
    lists = [items_of(v) for v in args.values]
    if not args.open and all(items is not None for items in lists):
        return Sequence("iterator", tuple(v for items in lists if items for v in items))
    parts = [_each(frame, v, node) for v in args.values]
    parts += [_each(frame, _each(frame, v, node), node) for v in args.spread] if args.open else []
    return _iterator(join_all(parts, frame.place(node))) if parts else UNKNOWN


def chain_from_iterable(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``itertools.chain.from_iterable(xss)``."""
    if not _plain(args, 1):
        return mutation.forget(frame, args)
    lists = items_of(args.values[0])
    if lists is not None:
        return chain(frame, Args(lists, [None] * len(lists)), node)
    return _iterator(_each(frame, _each(frame, args.values[0], node), node))


# -- numbers, and one thing again and again ---------------------------------------------------


def count(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``count(start, step)``, of integers."""
    numbers = args.get(0, "start", 0), args.get(1, "step", 1)
    whole = not args.open and all(map(is_size, numbers))
    return _iterator(unknown(f"?{frame.place(node)}") if whole else UNKNOWN)


def repeat(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``repeat(x, times)``."""
    if not _plain(args, 1, "times"):
        return mutation.forget(frame, args)
    times = args.get(1, "times")
    if isinstance(times, int) and 0 <= times <= LONGEST:
        return Sequence("iterator", (args.values[0],) * times)
    return _iterator(args.values[0], times if is_size(times) else None)


# -- several together -------------------------------------------------------------------------


def zip_longest(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``zip_longest(xs, ys, fillvalue=None)``."""
    if not _plain(args, 1, "fillvalue"):
        return mutation.forget(frame, args)
    fill, lists = args.keywords.get("fillvalue"), [items_of(v) for v in args.values]
    known = [items for items in lists if items is not None]
    if len(known) == len(lists):
        return Sequence("iterator", tuple(itertools.zip_longest(*known, fillvalue=fill)))
    length, each = common(args.values), [_each(frame, v, node) for v in args.values]
    if length is not None and all(length_of(v) == length for v in args.values):
        return _iterator(tuple(each), length)
    return _iterator(tuple(join(v, fill, frame.place(node)) for v in each))


def product(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``product(xs, ys, repeat=1)``."""
    times = args.keywords.get("repeat", 1)
    if not _plain(args, 1, "repeat") or not isinstance(times, int) or not 0 <= times <= MAX_UNROLL:
        return mutation.forget(frame, args)
    lists = [items_of(v) for v in args.values]
    all_items = [items for items in lists if items is not None]
    if (
        len(all_items) == len(lists)
        and (made := _few(itertools.product(*all_items, repeat=times))) is not None
    ):
        return made
    row = [_each(frame, v, node) for v in args.values] * times
    if times > 1:
        row = _apart(frame, row, node)
    lengths = [length_of(v) for v in args.values] * times
    known = [length for length in lengths if length is not None]
    return _iterator(tuple(row), size_of(known) if len(known) == len(lengths) else None)


def _apart(frame: Frame, row: list[Value], node: ast.AST) -> list[Value]:
    """Several items of one list, each with sizes of its own where they differ from item to item."""
    return [these(frame, value, f"{frame.place(node)}.{i}") for i, value in enumerate(row)]


def _chosen(function: Callable[..., Iterable[Any]]) -> Special:
    def handler(frame: Frame, args: Args, node: ast.AST) -> Value:
        """``combinations(xs, r)`` and its like."""
        number = args.get(1, "r")
        if not _plain(args, 1, "r") or not isinstance(number, int) or not 0 <= number <= MAX_UNROLL:
            return mutation.forget(frame, args)
        items = items_of(args.values[0])
        made = None if items is None else _few(function(items, number))
        if made is not None:
            return made
        return _iterator(tuple(_apart(frame, [_each(frame, args.values[0], node)] * number, node)))

    return handler


def pairwise(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``itertools.pairwise(xs)``."""
    if not _plain(args, 1):
        return mutation.forget(frame, args)
    items, length = items_of(args.values[0]), length_of(args.values[0])
    if items is not None:
        return Sequence("iterator", tuple(itertools.pairwise(items)))
    pair = _apart(frame, [_each(frame, args.values[0], node)] * 2, node)
    return _iterator(tuple(pair), None if length is None else length - 1)


def batched(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``batched(xs, n)``: the last may have fewer."""
    number = args.get(1, "n")
    if not _plain(args, 1, "n", "strict"):
        return mutation.forget(frame, args)
    items = items_of(args.values[0])
    if items is not None and isinstance(number, int) and number > 0:
        return Sequence("iterator", tuple(tuple(items[i : i + number]) for i in range(0, len(items), number)))
    size = number if is_size(number) and args.keywords.get("strict") is True else None
    return _iterator(Sequence("list", None, _each(frame, args.values[0], node), size))


def groupby(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``groupby(xs, key)``: a key, and the items that have it."""
    if not _plain(args, 1, "key"):
        return mutation.forget(frame, args)
    each, function = _each(frame, args.values[0], node), args.get(1, "key")
    one = this_one(frame, each, frame.place(node))
    key = one if function is None else frame.call(function, Args([one], [None]), node)
    return _iterator((key, _iterator(each)))


# -- what a function makes of them ------------------------------------------------------------


def starmap(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``starmap(f, rows)``: f is called with each row's items."""
    if not _plain(args, 2):
        return mutation.forget(frame, args)
    rows, length = items_of(args.values[1]), length_of(args.values[1])
    if rows is not None and len(rows) <= MAX_UNROLL:
        return Sequence("iterator", tuple(_with_row(frame, args, row, node) for row in rows))
    return _iterator(_with_row(frame, args, _each(frame, args.values[1], node), node), length)


def _with_row(frame: Frame, args: Args, row: Value, node: ast.AST) -> Value:
    items = items_of(row)
    if items is None:
        return mutation.forget(frame, args)
    return frame.call(args.values[0], Args(items, [None] * len(items)), node)


def accumulate(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``accumulate(xs, f, initial=x)``: what there is after each item."""
    if not _plain(args, 1, "func", "initial"):
        return mutation.forget(frame, args)
    function = args.get(1, "func")
    function = External("operator.add") if function is None else function
    initial, items = args.keywords.get("initial"), items_of(args.values[0])
    begins = [] if initial is None else [initial]
    if items is not None and len(items) <= MAX_UNROLL:
        made = [*begins, *items][:1]
        for item in [*begins, *items][1:]:
            made.append(frame.call(function, Args([made[-1], item], [None, None]), node))
        return Sequence("iterator", tuple(made))
    length = length_of(args.values[0])
    state = _over_all(frame, function, begins, _each(frame, args.values[0], node), node)
    return _iterator(state, None if length is None else length + len(begins))


def reduce_(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``functools.reduce(f, xs, start)``."""
    if not _plain(args, 2, "initial"):
        return mutation.forget(frame, args)
    begins = [*args.values[2:3], *args.keywords.values()]
    items = items_of(args.values[1])
    if items is None or len(items) > MAX_UNROLL:
        return _over_all(frame, args.values[0], begins, _each(frame, args.values[1], node), node)
    rest = [*begins, *items]
    if not rest:
        return UNKNOWN
    result = rest[0]
    for item in rest[1:]:
        result = frame.call(args.values[0], Args([result, item], [None, None]), node)
    return result


def _over_all(frame: Frame, function: Value, begins: list[Value], each: Value, node: ast.AST) -> Value:
    """What there may be after any number of items, where their number is not known."""
    place = frame.place(node)
    another = this_one(frame, each, f"{place}.reduce")
    start = begins[0] if begins else each
    state = join(start, frame.call(function, Args([start, another], [None, None]), node), place)
    with frame.reporter.mute():
        again = join(state, frame.call(function, Args([state, another], [None, None]), node), place)
    return state if equal(again, state) else UNKNOWN


FUNCTIONS: dict[str, Special] = {
    "itertools.count": count, "itertools.repeat": repeat,
    **{name: _alone(function) for name, function in {
        "itertools.islice": islice, "itertools.takewhile": _some, "itertools.dropwhile": _some,
        "itertools.filterfalse": _some, "itertools.compress": compress, "itertools.cycle": cycle,
        "itertools.tee": tee, "itertools.chain": chain,
        "itertools.chain.from_iterable": chain_from_iterable, "itertools.zip_longest": zip_longest,
        "itertools.product": product, "itertools.pairwise": pairwise, "itertools.batched": batched,
        "itertools.groupby": groupby, "itertools.starmap": starmap, "itertools.accumulate": accumulate,
        "functools.reduce": reduce_,
        **{f"itertools.{f.__name__}": _chosen(f) for f in (
            itertools.combinations, itertools.permutations, itertools.combinations_with_replacement,
        )},
    }.items()},
}  # fmt: skip

__all__ = ["FUNCTIONS"]
