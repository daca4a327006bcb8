"""Indexing: ``x[...]`` in all its forms, assignment to it, and the operators that take indices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.dtypes import BIT, BOOL, INT64, UINT8
from typedtorch.shapes.equality import generic, same
from typedtorch.shapes.rule import Fields, Record, name, rule, tuple_text
from typedtorch.shapes.rules.forms import is_size, need
from typedtorch.shapes.rules.promotion import mask_of, want
from typedtorch.shapes.rules.slices import slice_size
from typedtorch.shapes.size import Size, counted, product
from typedtorch.shapes.tensor import (
    ANY_AXES,
    UNKNOWN,
    Entry,
    Pack,
    Scalar,
    Shape,
    ShapeError,
    Tensor,
    Undecided,
    axes_text,
    broadcast,
    entry_size,
    pack_index,
    show,
)

INDEX = INT64 | BIT["int32"]


# --- getitem -----------------------------------------------------------------------------------


def _items(index: Any) -> list[Any]:
    return list(index) if isinstance(index, tuple) else [index]


def _masks(library: str) -> int:
    """What chooses among elements: torch has bytes stand for a mask, to numpy they are integers."""
    return BOOL if library == "numpy" else BOOL | UINT8


def _consumes(item: Any, library: str) -> int:
    """How many axes an index takes."""
    if item is None or item is Ellipsis or isinstance(item, bool):
        return 0
    if isinstance(item, Tensor) and mask_of(item) & _masks(library):
        if mask_of(item) & ~_masks(library) or item.rank is None:
            raise Undecided
        return len(item.shape)
    return 1


def _as_tensor(item: Any) -> Any:
    """A list as an index is a tensor."""
    if isinstance(item, Record) and any(isinstance(part, Tensor) and part.rank for part in item):
        raise ShapeError(f"an index is {tuple_text(item)}, wanted a tensor")
    if isinstance(item, (list, tuple)):
        if any(isinstance(i, (list, tuple, Tensor, slice)) or i is None for i in item):
            raise Undecided
        kind = BOOL if item and all(isinstance(i, bool) for i in item) else INT64
        return Tensor((len(item),), kind)
    if isinstance(item, range):
        return Tensor((len(item),), INT64)
    return item


def indexed(tensor: Tensor, index: Any, who: str) -> tuple[Shape, bool]:
    """The shape of ``tensor[index]``, and whether index tensors took part.

    Raises:
        ShapeError: too many indices, out of range, index tensors that do not broadcast.
    """
    items = [_as_tensor(i) for i in _items(index)]
    if any(i is UNKNOWN or isinstance(i, (str, float, Scalar)) for i in items):
        raise Undecided
    shape = tensor.shape
    if not shape and _any_object(tensor):
        raise Undecided
    if any(i is Ellipsis for i in items):
        at = next(k for k, i in enumerate(items) if i is Ellipsis)
        if any(i is Ellipsis for i in items[at + 1 :]):
            raise ShapeError("an index can have only one '...'")
        front, back = items[:at], items[at + 1 :]
    else:
        front, back = items, []
    taken, taken_back = (sum(_consumes(i, tensor.library) for i in part) for part in (front, back))
    first = pack_index(shape)
    if first is None:
        if taken + taken_back > len(shape):
            raise ShapeError(
                f"{who} has {axes_text(shape)}, {show(shape)}, and {taken + taken_back} are indexed"
            )
    else:
        last = max(i for i, e in enumerate(shape) if isinstance(e, Pack))
        if taken > first or taken_back > len(shape) - last - 1:
            raise Undecided
    middle = shape[taken : len(shape) - taken_back]
    pieces = [*_walk(front, shape[:taken], who, 0, tensor.library), *((e, None) for e in middle)]
    pieces += _walk(back, shape[len(shape) - taken_back :], who, taken_back, tensor.library)
    return _assemble(pieces, who, tensor.library == "numpy")


# one axis of the result, or None with the index tensor that takes axes
_Piece = tuple[Entry | None, Shape | None]


def _walk(items: Sequence[Any], shape: Shape, who: str, from_end: int, library: str) -> list[_Piece]:
    pieces: list[_Piece] = []
    at = 0
    for item in items:
        place = at - from_end
        if item is None:
            pieces.append((1, None))
        elif isinstance(item, bool):
            pieces.append((None, (int(item),)))
        elif isinstance(item, slice):
            pieces.append((slice_size(entry_size(shape[at]), item, library), None))
            at += 1
        elif isinstance(item, Tensor) and not item.shape and not mask_of(item) & _masks(library):
            want(item, dtypes.INTEGER, item.label or "the index", "integers or a bool mask")
            pieces.append((None, None))
            at += 1
        elif isinstance(item, Tensor):
            taken = _consumes(item, library)
            pieces.append((None, _index_shape(item, shape[at : at + taken], who, place, library)))
            at += taken
        elif is_size(item):
            check_range(item, entry_size(shape[at]), who, place)
            pieces.append((None, None))
            at += 1
        else:
            raise Undecided
    return pieces


def check_range(item: Size, size: Size, who: str, place: int) -> None:
    """A number that indexes an axis against the axis's size.

    Raises:
        ShapeError: it lies outside.
    """
    if isinstance(item, int) and isinstance(size, int) and not -size <= item < size:
        raise ShapeError(f"index {item} is out of range for axis {place} of {who}, which is {size}")


def _index_shape(item: Tensor, axes: Shape, who: str, place: int, library: str) -> Shape:
    label = item.label or "the index"
    if mask_of(item) & _masks(library):
        for k, (mask, size) in enumerate(zip(item.sizes(), axes, strict=True)):
            if same(mask, entry_size(size)) is False:
                raise ShapeError(
                    f"{label} has shape {show(item.shape)}: its axis {k} is {mask} and axis "
                    f"{place + k} of {who} is {size}"
                )
        return (counted(whole=product(map(entry_size, axes))),)
    allowed = INDEX if library == "torch" else dtypes.INTEGER
    want(item, allowed, label, "integers or a bool mask", f"use {label}.long()")
    return item.shape


def _assemble(pieces: list[_Piece], who: str, ints_count: bool) -> tuple[Shape, bool]:
    """Index tensors broadcast; next to each other they stay in place, else they come first.

    For numpy an int beside index arrays is one of them; torch takes it out first.
    """
    if not ints_count:
        pieces = [p for p in pieces if p != (None, None)]
    advanced = [i for i, (_, index) in enumerate(pieces) if index is not None]
    kept = [(i, e) for i, (e, index) in enumerate(pieces) if e is not None]
    if not advanced:
        return tuple(e for _, e in kept), False
    shapes = [index for _, index in pieces if index is not None]
    try:
        joint = broadcast(*shapes)
    except ShapeError:
        listed = ", ".join(show(s) for s in shapes)
        raise ShapeError(f"the indices of {who} have shapes {listed}, which do not broadcast") from None
    takers = [i for i, (e, _) in enumerate(pieces) if e is None]
    start = takers[0]
    adjacent = takers == list(range(start, start + len(takers)))
    if not adjacent:
        return (*joint, *(e for _, e in kept)), True
    return (*(e for i, e in kept if i < start), *joint, *(e for i, e in kept if i > start)), True


_INDICES = (
    "f:a b c, 0 | f:a b c, (0, None) | f:a b c, (slice(None), 1) | f:a b c, (..., 0) | "
    "f:a b, (..., None) | f:a b c, -1 | "
    "f:a b c, slice(1, None) | f:a b c, (slice(None), slice(None, -1)) | f:a b c, (slice(None, None, 2),) | "
    "f:a b c, B:a | f:a b c, B:a b | f:a b c, (..., B:c) | f:a b c, I:n | "
    "f:a b c, (slice(None), I:n m) | f:a b c, (I:n, I:n) | "
    "f:a b c, (I:n, slice(None), I:n) | f:a b c, (0, slice(None), I:n) | f:a b c, (I:n 1, I:m) | "
    "f:a b c, [0, 0] | f:a b, True | f:a b, (False, None) | f:a b, (0, True) | "
    "f:a b c, (slice(None), None, I:n, 0) | f:a b c, (..., slice(0, 1)) | "
    "f:A b c, (slice(0, size:d), 0) | f:a b c, (I:, slice(None), I:n)"
)


@rule("torch.Tensor.__getitem__", sample=_INDICES)
def getitem(self: Any, index: Any) -> Tensor:
    tensor = need(self)
    try:
        shape, _advanced = indexed(tensor, index, name(self, "self"))
    except Undecided:
        return tensor.of((ANY_AXES,))
    if not shape and _any_object(tensor):
        raise Undecided
    deliberate = any(i is None for i in _items(index)) or tensor.deliberate
    layout = tensor.layout if _first_ones(tensor, index, shape) else None
    return Tensor(shape, tensor.dtype, deliberate=deliberate, layout=layout, library=tensor.library)


def _first_ones(tensor: Tensor, index: Any, shape: Shape) -> bool:
    """``x[:3]``: it lies in memory as the whole does.  Only one of them would have no stride to speak of."""
    if not isinstance(index, slice) or index.start is not None or index.step is not None:
        return False
    return tensor.library == "torch" and bool(shape) and isinstance(shape[0], int) and shape[0] > 1


_ASSIGN = (
    "f:a b c, 0, f:b c | f:a b c, (..., 0), f:b | f:a b c, slice(1, None), 0.0 | "
    "f:a b c, B:a b, 0.0 | f:a b c, I:n, f:n b c | "
    "f:a b c, (slice(None), 0), f:#a #c | f:a b c, (slice(None), slice(None, 2)), f:1 | "
    "f:a b, I:n, n: | f:a b, B:a, n:"
)


@rule("torch.Tensor.__setitem__", sample=_ASSIGN)
def setitem(self: Any, index: Any, value: Any) -> None:
    """What is assigned must broadcast to what is indexed."""
    tensor, who = need(self), name(self, "self")
    shape, advanced = indexed(tensor, index, who)
    if isinstance(value, (list, tuple)) and not isinstance(value, Fields) and tensor.library == "torch":
        what = "a list" if isinstance(value, list) else tuple_text(value)
        raise ShapeError(f"{what} cannot be assigned to a part of {who}, which takes a tensor or a number")
    if not isinstance(value, Tensor) or index is False:
        return
    label, given = name(value, "value"), _without_leading_ones(value, shape)
    several = advanced and _has_axes(index) and (not given or any(not isinstance(e, Pack) for e in given))
    if several and all(e == 1 for e in given) and _masks_only(index):
        several = False  # one value fills what a mask chooses, and is cast
    if several and not mask_of(value) & mask_of(tensor):
        raise ShapeError(
            f"{label} is {dtypes.show(mask_of(value))} and {who} is {dtypes.show(mask_of(tensor))}; "
            "assignment through index tensors needs one dtype", "dtype", f"cast it: {label}.to({who}.dtype)",
        )  # fmt: skip
    check_room(tensor, shape, value, who)


def check_room(tensor: Tensor, shape: Shape, value: Tensor, who: str) -> None:
    """What is assigned to a part of this shape must fit there.

    Raises:
        ShapeError: it does not.
    """
    into = broadcastable_into(_without_leading_ones(value, shape), shape)
    if into is False and (shape or not _any_object(tensor)):
        raise ShapeError(
            f"{name(value, 'value')} has shape {show(value.shape)} and the indexed part of {who} has "
            f"shape {show(shape)}"
        )


def _without_leading_ones(value: Tensor, shape: Shape) -> Shape:
    given = value.shape
    while given and pack_index(shape) is None and len(given) > len(shape) and _may_be_one(given[0]):
        given = given[1:]
    return given


def _any_object(tensor: Tensor) -> bool:
    """Whether items may be anything: an array of numpy without a known dtype may hold objects or records."""
    return tensor.library == "numpy" and tensor.dtype == dtypes.ANY


def _has_axes(index: Any) -> bool:
    """Whether some index tensor certainly has axes; without any it is an int, and the assignment casts."""
    tensors = [i for i in map(_as_tensor, _items(index)) if isinstance(i, Tensor)]
    return any(not isinstance(e, Pack) for tensor in tensors for e in tensor.shape)


def _masks_only(index: Any) -> bool:
    """Whether all index tensors are masks."""
    tensors = [i for i in map(_as_tensor, _items(index)) if isinstance(i, Tensor)]
    return all(mask_of(tensor) & _masks("torch") for tensor in tensors)


def _may_be_one(entry: Entry) -> bool:
    """Axes of size 1 in front of what is assigned are left out."""
    return not isinstance(entry, Pack) and (entry == 1 or not (isinstance(entry, int) or generic(entry)))


def broadcastable_into(given: Shape, shape: Shape) -> bool | None:
    """Whether a shape broadcasts to another without changing it."""
    if pack_index(given) is not None or pack_index(shape) is not None:
        return None
    if len(given) > len(shape):
        return False
    verdict: bool | None = True
    for x, y in zip(reversed(given), reversed(shape), strict=False):
        if x != 1:
            answer = same(entry_size(x), entry_size(y))
            if answer is False:
                return False
            verdict = verdict and answer
    return verdict
