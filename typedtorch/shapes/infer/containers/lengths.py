"""How many items a list has, where that is a size: one for each row, for each step of a range.

``torch.stack([f(x[:, t]) for t in range(time)])`` has ``time`` as its first axis.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from typedtorch.shapes.infer.values.values import UNKNOWN, DictV, Tensor, Value, join_all
from typedtorch.shapes.infer.values.values import Sequence as SequenceV
from typedtorch.shapes.ones import LENGTH_SCOPE
from typedtorch.shapes.rules.forms import is_size
from typedtorch.shapes.rules.slices import slice_size
from typedtorch.shapes.size import Size, axis, is_unknown, unknown
from typedtorch.shapes.tensor import Entry, Pack, Undecided

COUNTS = (2, 3, 4)  # numbers of items for which an operator is tried, to see how its result grows


def of_passed(name: str) -> Size:
    """The number of items of a list that was passed under a name."""
    return axis(f"len({name})", LENGTH_SCOPE + name)


def length_of(value: Value) -> Size | None:
    """The number of items of something iterable, where it is known as a size."""
    if isinstance(value, Tensor):
        first = value.shape[0] if value.shape else None
        return None if first is None or isinstance(first, Pack) or is_unknown(first) else first
    if isinstance(value, SequenceV):
        return value.length if value.items is None else len(value.items)
    if isinstance(value, DictV):
        return value.length if value.rest is not None else len(value.items)
    if isinstance(value, tuple):
        return None if any(isinstance(v, Pack) for v in value) else len(value)
    return None


def common(values: Sequence[Value]) -> Size | None:
    """What ``zip`` and ``map`` give of several: as many as the shortest has."""
    lengths = [length_of(value) for value in values]
    known = [length for length in lengths if length is not None]
    if not known or len(known) < len(lengths):
        return None
    beyond = [more for length in known if isinstance(more := length - known[0], int)]
    return known[0] + min(beyond) if len(beyond) == len(known) else None  # zip(xs, xs[1:])


def cut(length: Size | None, index: slice) -> Size | None:
    """How many items a slice of a list has."""
    whole = (index.start, index.stop) == (None, None) and index.step in (None, 1, -1)
    if length is None or whole or is_unknown(length):
        return length if whole else None
    if any(bound is not None and not is_size(bound) for bound in (index.start, index.stop, index.step)):
        return None
    try:
        left = slice_size(length, index, "numpy")
    except Undecided:
        return None
    return None if is_unknown(left) else left


def for_several(results: Sequence[Value], lists: Sequence[Value], key: str) -> Value:
    """What an operator gives, of its results for some lengths of the only one of ``lists``."""
    length = lists[0].length if len(lists) == 1 and isinstance(lists[0], SequenceV) else None
    if length is None:
        return join_all(list(results), key)
    grown = lists[0].grown
    return _at_length(results, length - (COUNTS[0] if grown is None else len(grown.first)), key)


def _at_length(results: Sequence[Value], more: Size, key: str) -> Value:
    tensors = [made for made in results if isinstance(made, Tensor)]
    joined = join_all(list(results), key)
    if len(tensors) != len(COUNTS) or not isinstance(joined, Tensor):
        return joined
    if any(len(made.shape) != len(joined.shape) for made in tensors):
        return joined
    entries = zip(joined.shape, *(made.shape for made in tensors), strict=True)
    shape = tuple(_grown(entry, found, more) for entry, *found in entries)
    return joined if shape == joined.shape else replace(joined, shape=shape, layout=None)


def _grown(joined: Entry, found: Sequence[Entry], more: Size) -> Entry:
    sizes = [size for size in found if not isinstance(size, Pack) and not is_unknown(size)]
    if isinstance(joined, Pack) or len(sizes) < len(found):
        return joined
    first, second, third = sizes
    step = second - first
    return first + step * more if step == third - second else joined


__all__ = ["COUNTS", "common", "cut", "for_several", "length_of"]


# methods, and functions of torch, that cut a tensor into pieces
CUTS = ("split", "chunk", "unbind")


def pieces(name: str, tensor: Tensor, values: tuple[Value, ...], keywords: Mapping[str, Value]) -> Value:
    """An unknown number of pieces: each is the tensor but for the axis that is cut, or unbound."""
    place = 0 if name == "unbind" else 1
    dim = keywords.get("dim", values[place] if len(values) > place else 0)
    if not isinstance(dim, int) or tensor.rank is None or not -tensor.rank <= dim < tensor.rank:
        return UNKNOWN
    shape, length = list(tensor.shape), None
    if name == "unbind":
        length = length_of(tensor.of((shape.pop(dim),)))
    elif name == "split" and _one_by_one(values, keywords):
        length = length_of(tensor.of((shape[dim],)))
        shape[dim] = 1
    else:
        shape[dim] = unknown()
    return SequenceV("list", None, tensor.of(shape), length)


def _one_by_one(values: tuple[Value, ...], keywords: Mapping[str, Value]) -> bool:
    """Whether ``split`` is asked for pieces of one item each."""
    sizes = [*values[:1], keywords.get("split_size_or_sections"), keywords.get("split_size")]
    return any(type(size) is int and size == 1 for size in sizes)
