"""Which items of an axis a body takes one by one: ``x[:, 0]``, ``x[:, 1]`` and ``x[:, 2]``.

A body that takes as many as it gives back was written for that size, whatever its annotation calls it: with
``parents = [-1, 0, 0, 1, 2]``, ``torch.stack([x[:, j] for j in range(len(parents))], 1)`` for ``b joints``.
"""

from __future__ import annotations

from collections.abc import Iterable

from typedtorch.shapes.equality import is_name
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.values.values import UNKNOWN, Sequence, Tensor, Value, is_size
from typedtorch.shapes.size import Poly
from typedtorch.shapes.tensor import Entry, Pack, Shape


def by_index(frame: Frame, tensor: Tensor, index: Value) -> None:
    """Note what ``tensor[index]`` takes of its axes."""
    for size, item in _paired(tensor.shape, index if isinstance(index, tuple) else (index,)):
        if is_size(item):
            _note(frame, size, (item,) if isinstance(item, int) else frame.counters.get(item, ()))
        else:
            _note(frame, size, _all_of(item))


def unpacked(frame: Frame, size: Entry, count: int) -> None:
    """Note that ``a, b, c = x.unbind(1)`` takes all items of an axis."""
    _note(frame, size, range(count))


def counting(frame: Frame, this: Value, each: Value, items: list[Value] | None) -> None:
    """Note the integers that a loop goes through which is not followed turn by turn, also those of pairs."""
    if items and isinstance(this, tuple):
        pairs = [item for item in items if isinstance(item, tuple)]
        for part, column in zip(this, zip(*pairs, strict=False), strict=False):
            counting(frame, part, UNKNOWN, list(column))
    elif items and isinstance(this, Poly) and all(type(item) is int for item in items):
        frame.counters[this] = [item for item in items if isinstance(item, int)]
    elif isinstance(this, Poly) and isinstance(each, Poly) and each in frame.counters:
        frame.counters[this] = frame.counters[each]


def _note(frame: Frame, size: Entry, items: Iterable[int]) -> None:
    if not isinstance(size, Pack) and is_name(size) and (taken := frozenset(i for i in items if i >= 0)):
        frame.state.ties.take(size, taken)


def _paired(shape: Shape, items: tuple[Value, ...]) -> Iterable[tuple[Entry, Value]]:
    """Each axis with its index, as far as both are counted from one end."""
    ends = [i for i, entry in enumerate(shape) if isinstance(entry, Pack)]
    front = shape[: ends[0]] if ends else shape
    stop = next((i for i, item in enumerate(items) if not _takes_one(item)), len(items))
    yield from zip(front, items[:stop], strict=False)
    if stop < len(items) and items[stop] is Ellipsis and all(map(_takes_one, items[stop + 1 :])):
        back = shape[ends[-1] + 1 :] if ends else shape
        yield from zip(reversed(back), reversed(items[stop + 1 :]), strict=False)


def _takes_one(item: Value) -> bool:
    """Whether an index takes one axis, as ``None``, ``...`` and masks do not."""
    return is_size(item) or isinstance(item, (slice, Sequence))


def _all_of(item: Value) -> Iterable[int]:
    """The items of a list that may be all of an axis: in another order, or some of them for others."""
    listed = item.items if isinstance(item, Sequence) else None
    if not listed or not all(type(i) is int for i in listed):
        return ()
    count = len(listed)
    places = [i for i in listed if isinstance(i, int)]
    inside = all(-count <= i < count for i in places) and places != list(range(count))
    return range(count) if inside else ()


__all__ = ["by_index", "counting", "unpacked"]
