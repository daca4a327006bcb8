"""``base[index]``: the item, slice or part that an expression asks for."""

from __future__ import annotations

import ast

from typedtorch.shapes.infer.calls import calls
from typedtorch.shapes.infer.calls.alternatives import for_each
from typedtorch.shapes.infer.classes.passed import Passed
from typedtorch.shapes.infer.conditions import checks, proven
from typedtorch.shapes.infer.containers import enumerations
from typedtorch.shapes.infer.containers.grown import grown
from typedtorch.shapes.infer.containers.items import items_of, these, this_one
from typedtorch.shapes.infer.containers.lengths import cut, length_of
from typedtorch.shapes.infer.containers.missing_keys import is_missing
from typedtorch.shapes.infer.expressions.arithmetic import is_tensor
from typedtorch.shapes.infer.expressions.attributes import holds_tensors
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.library import folded
from typedtorch.shapes.infer.operators import read_items
from typedtorch.shapes.infer.reports import messages
from typedtorch.shapes.infer.values.objects import one_of
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    Choice,
    DictV,
    Instance,
    Object,
    Scalar,
    Sequence,
    Tensor,
    Value,
    choice,
    is_size,
    join_all,
)
from typedtorch.shapes.size import unknown
from typedtorch.shapes.tensor import ANY_AXES, Pack


def item(frame: Frame, base: Value, index: Value, node: ast.Subscript) -> Value:
    """``base[index]``."""
    if isinstance(base, Choice) and not all(o is None or isinstance(o, Tensor) for o in base.options):
        options = [option for option in base.options if option is not None]
        options = [option for option in options if not _too_short(option, index)] or options
        return for_each(frame, options, lambda option: item(frame, option, index, node), node)
    if isinstance(index, (Choice, Scalar)) and index.proves:
        checks.passed(frame, (index,))
    if is_tensor(base):
        if isinstance(base, Tensor):
            read_items.by_index(frame, base, index)
        taken = calls.tensor_method(frame, base, "__getitem__", (index,), {}, node, (node.value, node.slice))
        return UNKNOWN if _may_be_number(taken) else taken
    if isinstance(index, Scalar) and index.proves and (pair := _pair(base)) is not None:
        texts = all(isinstance(v, str) for v in pair)
        joined = choice(list(pair)) if texts else join_all(pair, frame.place(node))
        return proven.of_each(pair, index.proves[::-1], joined)
    if isinstance(base, tuple):
        if _is_shape(node.value) and isinstance(index, int) and not -len(base) <= index < len(base):
            messages.no_axis(frame, node, base)
        if (index is None or index is Ellipsis or isinstance(index, tuple)) and holds_tensors(base):
            messages.several(frame, node, base)
            return UNKNOWN
        return _tuple_item(base, index, frame.place(node))
    if isinstance(base, Sequence):
        return _sequence_item(frame, base, index, node)
    if isinstance(base, DictV):
        known = enumerations.is_key(index) and index in base.items
        if known:
            return base.get(index)
        if is_missing(frame, base, index, node.value):
            messages.no_key(frame, node, base, index)
            return UNKNOWN
        checks.looked_up(frame, base, index)
        rest = () if base.rest is None else (base.rest,)
        return _any_of(frame, base.get(index), (*base.items.values(), *rest), node)
    if isinstance(base, Instance) and base.info.kind.is_named_tuple and base.info.find("__getitem__") is None:
        fields = items_of(base)
        return UNKNOWN if fields is None else _tuple_item(tuple(fields), index, frame.place(node))
    if isinstance(base, Instance):
        return calls.method_if_any(frame, base, "__getitem__", (index,), node)
    if isinstance(base, Passed) and isinstance(index, str):
        return base.part(index)
    if isinstance(base, str) and isinstance(index, int) and -len(base) <= index < len(base):
        return base[index]
    if isinstance(base, str) and isinstance(index, slice):
        cut = folded.plain_list((index.start, index.stop, index.step))
        return Object("str") if cut is None else base[slice(*cut)]
    return UNKNOWN


def _any_of(frame: Frame, value: Value, held: tuple[Value, ...], node: ast.Subscript) -> Value:
    """What is read under an index that is not known: if it is a list, it is one of those that are held."""
    if type(value) is Sequence or type(value) is DictV:
        lists = tuple([v for v in held if type(v) is type(value)])
        if lists:
            return one_of(frame.state.variables, frame.place(node), value, lists)
    return this_one(frame, value, frame.place(node))


def _pair(base: Value) -> tuple[Value, Value] | None:
    """What a test picks: ``("short", "long")[t > n]``, ``{False: pad, True: cut}[t > n]``."""
    if isinstance(base, DictV) and base.rest is None and base.items.keys() == {False, True}:
        return base.items[False], base.items[True]
    items = base if isinstance(base, tuple) else base.items if isinstance(base, Sequence) else None
    if items is None or len(items) != 2 or any(isinstance(v, Pack) for v in items):
        return None
    return items[0], items[1]


def _too_short(base: Value, index: Value) -> bool:
    """Whether a tuple has no such item: where one of several lengths has, it is that one."""
    return isinstance(base, tuple) and isinstance(index, int) and not -len(base) <= index < len(base)


def _is_shape(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "shape"


def _may_be_number(taken: Value) -> bool:
    """Whether what is taken of an array is perhaps one of its numbers, which is no array."""
    return isinstance(taken, Tensor) and taken.library == "numpy" and taken.shape == (ANY_AXES,)


def _tuple_item(base: tuple[Value, ...], index: Value, place: str) -> Value:
    packed = next((i for i, v in enumerate(base) if isinstance(v, Pack)), None)
    if isinstance(index, int) and not isinstance(index, bool):
        if packed is not None:
            last = max(i for i, v in enumerate(base) if isinstance(v, Pack))
            inside = (0 <= index < packed) or (index < 0 and len(base) + index > last)
            return base[index] if inside else unknown(f"?{place}")
        return base[index] if -len(base) <= index < len(base) else UNKNOWN
    if isinstance(index, slice) and packed is None:
        parts = (index.start, index.stop, index.step)
        if all(p is None or (isinstance(p, int) and not isinstance(p, bool)) for p in parts):
            return tuple(base)[index]
    if isinstance(index, slice) and packed is not None:
        return _packed_slice(base, index, packed)
    if isinstance(index, slice) or not base:
        return UNKNOWN
    return join_all([UNKNOWN if isinstance(v, Pack) else v for v in base], place)


def _packed_slice(base: tuple[Value, ...], index: slice, packed: int) -> Value:
    """A slice of a shape that holds a run of unknown axes: only from an end that is known."""
    start, stop, step = index.start, index.stop, index.step
    if step is not None:
        return UNKNOWN
    after = len(base) - packed - 1
    if start is None and isinstance(stop, int) and (0 <= stop <= packed or -after <= stop < 0):
        return base[:stop]
    if stop is None and isinstance(start, int) and (0 <= start <= packed or -after <= start < 0):
        return base[start:]
    return UNKNOWN


def _sequence_item(frame: Frame, base: Sequence, index: Value, node: ast.Subscript) -> Value:
    place = frame.place(node)
    if base.kind == "dataset" and not is_size(index):
        return _rows(base, place) if isinstance(index, slice) else UNKNOWN
    if isinstance(index, int) and base.items is not None:  # behind the end nothing is read
        return base.items[index] if -len(base.items) <= index < len(base.items) else UNKNOWN
    if isinstance(index, slice):
        parts = (index.start, index.stop, index.step)
        if base.items is not None and all(p is None or isinstance(p, int) for p in parts):
            return Sequence(base.kind, base.items[index])
        left = () if base.grown is None else base.grown.items(index)
        each = join_all(left, place) if left else base.any_item
        some = these(frame, each, place)
        behind = grown(left[:-1], left[-1]) if left else None
        return Sequence(base.kind, None, some, cut(length_of(base), index), grown=behind)
    if base.kind == "sequential" and base.items is not None:
        return join_all(base.items, place) if base.items else UNKNOWN
    if base.grown and type(index) is int and 0 <= index < len(base.grown.first):
        return this_one(frame, base.grown.first[index], place, str(index))
    each = base.any_item
    if base.items and (type(each) is Sequence or type(each) is DictV):
        return _any_of(frame, each, base.items, node)
    return this_one(frame, each, place, str(index).lstrip("?") if is_size(index) else "")


def _rows(dataset: Sequence, place: str) -> Value:
    """``TensorDataset(x, y)[:n]``: rows of each tensor, as many of one as of another."""
    each, count = dataset.any_item, unknown(f"?{place}")
    if not isinstance(each, tuple):
        return UNKNOWN
    return tuple(v.of((count, *v.shape)) if isinstance(v, Tensor) else UNKNOWN for v in each)
