"""Items of values: by index, by slice, and one after the other."""

from __future__ import annotations

import ast
from dataclasses import replace

from typedtorch.shapes.infer import calls, messages
from typedtorch.shapes.infer.arithmetic import is_tensor
from typedtorch.shapes.infer.attributes import holds_tensors
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.values import (
    UNKNOWN,
    Choice,
    DictV,
    Instance,
    Sequence,
    Tensor,
    Value,
    is_size,
    join,
    join_all,
)
from typedtorch.shapes.size import unknown
from typedtorch.shapes.tensor import Pack, pack_index

MAX_UNROLL = 12  # items that are followed one by one


def items_of(value: Value) -> list[Value] | None:
    """The items of something iterable whose number is known."""
    if isinstance(value, tuple):
        return None if any(isinstance(v, Pack) for v in value) else list(value)
    if isinstance(value, Sequence):
        return None if value.items is None else list(value.items)
    if isinstance(value, DictV):
        return list(value.items) if value.rest is None else None
    if isinstance(value, Instance) and value.info.is_named_tuple:
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
    return Sequence(holder.kind, None, element)


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
        rest = holder.rest if known else holder.any_value
        frame.state.replace_value(holder, DictV(kept, rest, holder.kind))


def _field(value: Instance, name: str) -> Value:
    """A field of a named tuple: what it was given, else what its annotation says."""
    spec = value.info.spec(name)
    if name in value.attributes or spec is None:
        return value.attributes.get(name, UNKNOWN)
    from typedtorch.shapes.infer.construction import assume_attribute  # noqa: PLC0415 - it calls, and calls unpack

    return assume_attribute(value, name, spec)


def item(frame: Frame, base: Value, index: Value, node: ast.Subscript) -> Value:
    """``base[index]``."""
    if isinstance(base, Choice) and not all(o is None or isinstance(o, Tensor) for o in base.options):
        options = [option for option in base.options if option is not None]
        return calls.for_each(frame, options, lambda option: item(frame, option, index, node), node)
    if is_tensor(base):
        return calls.tensor_method(frame, base, "__getitem__", (index,), {}, node, (node.value, node.slice))
    if isinstance(base, tuple):
        if _is_shape(node.value) and isinstance(index, int) and not -len(base) <= index < len(base):
            messages.no_axis(frame, node, base)
        if (index is None or index is Ellipsis or isinstance(index, tuple)) and holds_tensors(base):
            messages.several(frame, node, base)
            return UNKNOWN
        return _tuple_item(base, index, frame.place(node))
    if isinstance(base, Sequence):
        return _sequence_item(base, index, frame.place(node))
    if isinstance(base, DictV):
        return base.get(index)
    if isinstance(base, Instance) and base.info.is_named_tuple:
        fields = items_of(base)
        return UNKNOWN if fields is None else _tuple_item(tuple(fields), index, frame.place(node))
    if isinstance(base, Instance):
        return calls.method_if_any(frame, base, "__getitem__", (index,), node)
    if isinstance(base, str) and isinstance(index, int) and -len(base) <= index < len(base):
        return base[index]
    return UNKNOWN


def _is_shape(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "shape"


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


def _sequence_item(base: Sequence, index: Value, place: str) -> Value:
    if base.kind == "dataset" and not is_size(index):
        return _rows(base, place) if isinstance(index, slice) else UNKNOWN
    if isinstance(index, int) and base.items is not None and -len(base.items) <= index < len(base.items):
        return base.items[index]
    if isinstance(index, slice):
        parts = (index.start, index.stop, index.step)
        if base.items is not None and all(p is None or isinstance(p, int) for p in parts):
            return Sequence(base.kind, base.items[index])
        return Sequence(base.kind, None, base.any_item)
    if base.kind == "sequential" and base.items is not None:
        return join_all(base.items, place) if base.items else UNKNOWN
    return base.any_item


def _rows(dataset: Sequence, place: str) -> Value:
    """``TensorDataset(x, y)[:n]``: rows of each tensor, as many of one as of another."""
    each, count = dataset.any_item, unknown(f"?{place}")
    if not isinstance(each, tuple):
        return UNKNOWN
    return tuple(v.of((count, *v.shape)) if isinstance(v, Tensor) else UNKNOWN for v in each)


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
    if isinstance(value, bytes):
        return unknown(f"?{place}")
    if isinstance(value, Choice):
        parts = [iterate(option, place) for option in value.options if option is not None]
        return join_all(parts, place) if parts else UNKNOWN
    return UNKNOWN


def tensor_item(tensor: Tensor) -> Value:
    """One item along the first axis."""
    if pack_index(tensor.shape) == 0 or not tensor.shape:
        return tensor.of((Pack("..."),))
    return tensor.of(tensor.shape[1:])
