"""Operators that give the same elements another shape, and what they do to memory."""

from __future__ import annotations

from typing import Any

from typedtorch.shapes.dtypes import BIT
from typedtorch.shapes.equality import same
from typedtorch.shapes.ones import is_times_items
from typedtorch.shapes.rule import name, rule
from typedtorch.shapes.rules.forms import axes_of, both, is_size, literal, methods, need
from typedtorch.shapes.rules.layout import contiguous_strides, view_strides
from typedtorch.shapes.rules.promotion import mask_of
from typedtorch.shapes.size import Poly, Size, atoms, exact_div, floor_div, is_unknown, product, unknown
from typedtorch.shapes.tensor import (
    ANY_AXES,
    UNKNOWN,
    Dtype,
    Entry,
    Pack,
    Shape,
    ShapeError,
    Tensor,
    Undecided,
    axis_index,
    entry_size,
    pack_index,
    replaced,
    show,
)


def sizes_of(values: tuple[Any, ...]) -> list[Any]:
    """Sizes given as separate arguments or as one tuple.

    Raises:
        ShapeError: they are given as both, ``x.reshape(lead, -1)`` for ``x.reshape(*lead, -1)``.
    """
    if len(values) > 1 and any(isinstance(v, (tuple, list)) for v in values):
        if all(isinstance(v, (tuple, list)) or is_size(v) for v in values):
            raise ShapeError("sizes stand in a tuple or one by one, not both: write * before the tuple")
        raise Undecided
    if len(values) == 1 and (isinstance(values[0], (tuple, list)) or values[0] is UNKNOWN):
        if not isinstance(values[0], (tuple, list)):
            raise Undecided
        return list(values[0])
    return list(values)


def entries_of(values: list[Any]) -> list[Entry]:
    """Sizes, unknown ones as unknown axes.

    Raises:
        Undecided: a value is not a size.
    """
    out: list[Entry] = []
    for value in values:
        if value is UNKNOWN:
            out.append(unknown())
        elif is_size(value) or isinstance(value, Pack):
            out.append(value)
        else:
            raise Undecided
    return out


# --- view and reshape --------------------------------------------------------------------------


def _count(entry: Entry) -> Size:
    """An entry as a factor of the number of elements."""
    if not isinstance(entry, Pack):
        return entry
    if entry.anonymous:
        raise Undecided
    return unknown(repr(entry))


def resolved(shape: Shape, wanted: list[Entry], who: str, what: str) -> Shape:
    """The shape a ``view`` gives, its -1 replaced.

    Raises:
        ShapeError: the numbers of elements differ whatever the sizes.
    """
    holes = [i for i, e in enumerate(wanted) if e == -1]
    if len(holes) > 1:
        raise ShapeError(f"{what}{show(wanted)}: only one size can be -1")
    for entry in wanted:
        if isinstance(entry, int) and entry < -1:
            raise ShapeError(f"{what}{show(wanted)}: {entry} is not a size")
    if not holes and 0 in shape and 0 in wanted:
        return tuple(wanted)  # no elements, however many there are along the other axes
    old, new = list(shape), [e for e in wanted if e != -1]
    for entry in list(new):
        if entry in old and not (isinstance(entry, Pack) and entry.anonymous):
            old.remove(entry)
            new.remove(entry)
    try:
        have, asked = product(_count(e) for e in old), product(_count(e) for e in new)
    except Undecided:
        return replaced(tuple(wanted), holes[0], unknown()) if holes else tuple(wanted)
    if holes:
        return replaced(tuple(wanted), holes[0], _rest(have, asked, shape, wanted, who))
    if (same(have, asked) is False or _leftover(have, asked)) and not is_times_items(have, asked):
        raise _count_error(shape, tuple(wanted), who)
    return tuple(wanted)


def _leftover(have: Size, asked: Size) -> bool:
    """All of one side is accounted for and the other has a named axis too many."""
    if 1 not in (have, asked):
        return False
    rest = atoms(asked if have == 1 else have)
    return bool(rest) and all(a.kind == "axis" for a in rest)


def _rest(have: Size, asked: Size, shape: Shape, wanted: list[Entry], who: str) -> Size:
    exact = exact_div(have, asked) if asked != 0 else None
    if exact is not None:
        return exact
    if isinstance(have, int) and isinstance(asked, int):
        raise ShapeError(
            f"{who} of shape {show(shape)} has {product(_count(e) for e in shape)} elements, "
            f"not a multiple of {product(_count(e) for e in wanted if e != -1)} as {show(wanted)} needs"
        )
    return unknown() if is_unknown(have) or is_unknown(asked) else floor_div(have, asked)


def _count_error(shape: Shape, wanted: Shape, who: str) -> ShapeError:
    have, asked = product(_count(e) for e in shape), product(_count(e) for e in wanted)
    return ShapeError(f"{who} of shape {show(shape)} has {have} elements, {show(wanted)} has {asked}")


_VIEW = (
    "f:a b, size:a*b | f:a b 2*c, (size:a, -1, size:c) | f:a b*c, size:a, size:b, size:c | "
    "f:a b c, size:a, -1 | f:a 6, 2, -1"
)


@rule("torch.Tensor.view", sample=_VIEW + " | f:a 2*b, dtype")
def view(self: Any, *size: Any, dtype: Any = None) -> Tensor:
    """``x.view(b, s, -1)``, or the same bytes as another dtype."""
    tensor, who = need(self), name(self, "self")
    if dtype is not None:
        size = (dtype,)
    if len(size) == 1 and isinstance(size[0], Dtype):
        return _view_dtype(tensor, size[0].mask, who)
    made = resolved(tensor.shape, entries_of(sizes_of(size)), who, "view")
    strides = view_strides(tensor, made, who) if tensor.layout is not None else None
    return Tensor(made, tensor.dtype, deliberate=1 in made, layout=strides, library=tensor.library)


_WIDTHS = {name: width for width, names in (
    (1, "bool uint8 int8 float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu"),
    (2, "uint16 int16 float16 bfloat16"), (4, "uint32 int32 float32 complex32"),
    (8, "uint64 int64 float64 complex64"), (16, "complex128"),
) for name in names.split()}  # fmt: skip


def _view_dtype(tensor: Tensor, mask: int, who: str) -> Tensor:
    widths = {name: w for name, w in _WIDTHS.items() if BIT[name] & (mask | mask_of(tensor))}
    before = {w for n, w in widths.items() if BIT[n] & mask_of(tensor)}
    after = {w for n, w in widths.items() if BIT[n] & mask}
    if len(before) != 1 or len(after) != 1:
        return tensor.of((*tensor.shape[:-1], unknown()) if tensor.rank else (ANY_AXES,), mask)
    (old,), (new,) = before, after
    if old == new:
        return tensor.of(tensor.shape, mask)
    if not tensor.shape:
        raise ShapeError(f"{who} has no axes, so its dtype cannot be viewed with another width")
    last = entry_size(tensor.shape[-1])
    if new > old and isinstance(last, int) and last * old % new:
        raise ShapeError(f"the last axis of {who} is {last}, not a multiple of {new // old}")
    return tensor.of((*tensor.shape[:-1], floor_div(last * old, new)), mask)


def reshaped(tensor: Tensor, wanted: list[Any], who: str, what: str = "reshape") -> Tensor:
    """The tensor in another shape, in which one size may be -1.

    Raises:
        ShapeError: the numbers of elements differ.
    """
    made = resolved(tensor.shape, entries_of(wanted), who, what)
    whole = tensor.layout is not None and tensor.layout == contiguous_strides(tensor.shape)
    layout = contiguous_strides(made) if whole else None
    return Tensor(made, tensor.dtype, deliberate=1 in made, layout=layout, library=tensor.library)


@rule(*methods("reshape"), sample=_VIEW)
def reshape_method(self: Any, *shape: Any) -> Tensor:
    return reshaped(need(self), sizes_of(shape), name(self, "self"))


@rule(
    "torch.reshape",
    sample="f:a b, (size:a*b,) | f:a b 2*c, (size:a, -1, size:c) | f:a b*c, (size:a, size:b, size:c)",
)
def reshape(input: Any, shape: Any) -> Tensor:
    return reshaped(need(input), sizes_of((shape,)), name(input, "input"))


@rule(*methods("view_as", "reshape_as"), sample="f:a b, f:b a | f:a b*c, f:a b c")
def view_as(self: Any, other: Any) -> Tensor:
    return reshaped(need(self), list(need(other).shape), name(self, "self"), "view_as")


@rule(
    *both("flatten"),
    sample="f:* | f:*, dim | f:a b c d, 1 | f:a b c d, 1, 2 | f:a b c, -2 | f:a b c, start_dim=0, end_dim=1",
)
def flatten(input: Any, start_dim: Any = 0, end_dim: Any = -1) -> Tensor:
    tensor, who = need(input), name(input, "input")
    try:
        start, end = (axis_index(tensor.shape, literal(d), who) for d in (start_dim, end_dim))
    except Undecided:
        return tensor.of(_flattened_unseen(tensor.shape, start_dim, end_dim))
    if not tensor.shape:
        return tensor.of((1,))
    if start > end:
        raise ShapeError(f"flatten from axis {start} to {end}: the first comes after the last")
    run = tensor.shape[start : end + 1]
    try:
        size = product(_count(e) for e in run)
    except Undecided:
        size = unknown()
    return Tensor(
        (*tensor.shape[:start], size, *tensor.shape[end + 1 :]), tensor.dtype, library=tensor.library
    )


def _flattened_unseen(shape: Shape, start: Any, end: Any) -> Shape:
    """From a known axis in front through a run of unknown ones, or the other way round."""
    if start == 0 and end == -1:
        return (unknown(),)
    first = pack_index(shape)
    if first is None or not isinstance(start, int) or not isinstance(end, int):
        return (ANY_AXES,)
    behind = shape[len(shape) + end + 1 :] if -len(shape) <= end < 0 else None
    if 0 <= start <= first and behind is not None and pack_index(behind) is None:
        return (*shape[:start], unknown(), *behind)
    return (ANY_AXES,)


@rule(*both("ravel"), sample="f:*")
def ravel(input: Any) -> Tensor:
    return need(input).of(flatten(input).shape)


@rule(
    *both("unflatten"), sample="f:a b*c d, 1, (size:b, size:c) | f:a b c*4, -1, (-1, 4) | f:a 6, -1, (2, -1)"
)
def unflatten(input: Any, dim: Any, sizes: Any) -> Tensor:
    tensor, who = need(input), name(input, "input")
    wanted = entries_of(sizes_of((sizes,)))
    try:
        place = axis_index(tensor.shape, literal(dim), who)
    except Undecided:
        return tensor.of((ANY_AXES,))
    if not tensor.shape:
        raise ShapeError(f"{who} has no axes to unflatten")
    part = resolved((tensor.shape[place],), wanted, f"axis {dim} of {who}", "unflatten")
    return tensor.of(replaced(tensor.shape, place, *part))


# --- axes of size one --------------------------------------------------------------------------


@rule(*both("unsqueeze"), sample="f:*, place")
def unsqueeze(input: Any, dim: Any) -> Tensor:
    tensor = need(input)
    try:
        place = axis_index(tensor.shape, literal(dim), name(input, "input"), insert=True)
    except Undecided:
        rank = tensor.rank
        return tensor.of((ANY_AXES,) if rank is None else tuple(unknown() for _ in range(rank + 1)))
    shape = (*tensor.shape[:place], 1, *tensor.shape[place:])
    layout = None
    if tensor.layout is not None:
        inner = entry_size(tensor.shape[place]) * tensor.layout[place] if place < len(tensor.shape) else 1
        layout = (*tensor.layout[:place], inner, *tensor.layout[place:])
    return Tensor(shape, tensor.dtype, deliberate=True, layout=layout, library=tensor.library)


@rule(*both("squeeze"), sample="f:#* | f:#*, dim | f:a 1 b, 1 | f:a 1 b 1, (1, 3) | f:1 a, dims")
def squeeze(input: Any, *dim: Any) -> Tensor:
    tensor, who = need(input), name(input, "input")
    if not dim:
        known = all(not isinstance(e, Pack) and not _may_be_one(e, named=True) for e in tensor.shape)
        return tensor.of(tuple(e for e in tensor.shape if e != 1) if known else (ANY_AXES,))
    try:
        places = axes_of(tensor.shape, sizes_of(dim), who)
    except Undecided:
        return tensor.of((ANY_AXES,))
    ones = any(e == 1 for e in tensor.shape)
    if any(_may_be_one(entry_size(tensor.shape[p]), ones) for p in places if tensor.shape):
        return tensor.of((ANY_AXES,))
    return tensor.of(tuple(e for i, e in enumerate(tensor.shape) if i not in places or e != 1))


def _may_be_one(size: Size, named: bool) -> bool:
    """Nothing says that it is not 1; ``named``: a name claims every size, so it is not.

    Who removes a named axis by its place means that it is 1, unless the tensor has another that is.
    """
    return isinstance(size, Poly) and (not named or any(a.kind != "axis" for a in atoms(size)))


@rule(
    "torch.Tensor.expand",
    sample="f:1 a, size:b, size:a | f:1 a, (size:b, -1) | f:a, size:b, -1 | f:#a #b, size:a, size:b",
)
def expand(self: Any, *size: Any) -> Tensor:
    return _expanded(need(self), sizes_of(size), name(self, "self"))


def _expanded(tensor: Tensor, wanted: list[Any], who: str) -> Tensor:
    entries = entries_of(wanted)
    if tensor.rank is None or any(isinstance(e, Pack) for e in entries):
        return tensor.of(unknown() if e == -1 else e for e in entries)
    extra = len(entries) - len(tensor.shape)
    if extra < 0:
        raise ShapeError(f"expand{show(entries)} has fewer axes than {who} of shape {show(tensor.shape)}")
    made: list[Entry] = []
    for i, entry in enumerate(entries):
        if i < extra:
            if entry == -1:
                raise ShapeError(
                    f"expand{show(entries)}: -1 stands for an axis of {who}, which has only "
                    f"{len(tensor.shape)}"
                )
            made.append(entry)
            continue
        old = entry_size(tensor.shape[i - extra])
        size = entry_size(entry)
        if size == -1:
            made.append(old)
        elif old != 1 and same(old, size) is False:
            raise ShapeError(
                f"expand{show(entries)}: axis {i - extra} of {who} is {old}, only an axis of size 1 "
                f"can become {size}"
            )
        else:
            made.append(size)
    return Tensor(tuple(made), tensor.dtype, library=tensor.library)


@rule(*both("broadcast_to"), sample="f:1 a, (size:b, size:a) | f:a, (size:b, size:a)")
def broadcast_to(input: Any, size: Any) -> Tensor:
    return _expanded(need(input), sizes_of((size,)), name(input, "input"))


@rule("torch.Tensor.expand_as", sample="f:1 a, f:b a | f:a, f:b a")
def expand_as(self: Any, other: Any) -> Tensor:
    return _expanded(need(self), list(need(other).shape), name(self, "self"))
