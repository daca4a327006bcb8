"""Operators that give the same elements another shape, and what they do to memory."""

from __future__ import annotations

from typing import Any

from typedtorch.shapes.dtypes import BIT
from typedtorch.shapes.rule import attribute, name, rule
from typedtorch.shapes.rules.forms import axes_of, both, is_size, literal, methods, need
from typedtorch.shapes.rules.layout import contiguous_strides, permuted, view_strides
from typedtorch.shapes.rules.promotion import mask_of
from typedtorch.shapes.size import (
    Poly,
    Size,
    _exact_div,
    atoms,
    floor_div,
    is_unknown,
    product,
    same,
    unknown,
)
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
    """Sizes given as separate arguments or as one tuple."""
    if len(values) == 1 and (isinstance(values[0], (tuple, list)) or values[0] is UNKNOWN):
        if values[0] is UNKNOWN:
            raise Undecided
        return list(values[0])
    return list(values)


def _entries(values: list[Any]) -> list[Entry]:
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
        return replaced(tuple(wanted), holes[0], _rest(have, asked, shape, wanted, who, what))
    if same(have, asked) is False:
        raise _count_error(shape, tuple(wanted), who, what)
    return tuple(wanted)


def _rest(have: Size, asked: Size, shape: Shape, wanted: list[Entry], who: str, what: str) -> Size:
    exact = _exact_div(have, asked) if asked != 0 else None
    if exact is not None:
        return exact
    if isinstance(have, int) and isinstance(asked, int):
        raise ShapeError(
            f"{what}{show(wanted)}: {who} of shape {show(shape)} has {product(_count(e) for e in shape)} elements, "
            f"not a multiple of {product(_count(e) for e in wanted if e != -1)}"
        )
    return unknown() if is_unknown(have) or is_unknown(asked) else floor_div(have, asked)


def _count_error(shape: Shape, wanted: Shape, who: str, what: str) -> ShapeError:
    have, asked = product(_count(e) for e in shape), product(_count(e) for e in wanted)
    return ShapeError(f"{what}{show(wanted)}: {who} of shape {show(shape)} has {have} elements, not {asked}")


_VIEW = "f:a b, size:a*b | f:a b 2*c, (size:a, -1, size:c) | f:a b*c, size:a, size:b, size:c | f:a b c, size:a, -1 | f:a 6, 2, -1"


@rule("torch.Tensor.view", sample=_VIEW + " | f:a 2*b, dtype")
def view(self: Any, *shape: Any) -> Tensor:
    """``x.view(b, s, -1)``, or the same bytes as another dtype."""
    tensor, who = need(self), name(self, "self")
    if len(shape) == 1 and isinstance(shape[0], Dtype):
        return _view_dtype(tensor, shape[0].mask, who)
    made = resolved(tensor.shape, _entries(sizes_of(shape)), who, "view")
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


def _reshaped(tensor: Tensor, wanted: list[Any], who: str, what: str = "reshape") -> Tensor:
    made = resolved(tensor.shape, _entries(wanted), who, what)
    whole = tensor.layout is not None and tensor.layout == contiguous_strides(tensor.shape)
    layout = contiguous_strides(made) if whole else None
    return Tensor(made, tensor.dtype, deliberate=1 in made, layout=layout, library=tensor.library)


@rule(*methods("reshape"), sample=_VIEW)
def reshape_method(self: Any, *shape: Any) -> Tensor:
    return _reshaped(need(self), sizes_of(shape), name(self, "self"))


@rule(
    "torch.reshape",
    sample="f:a b, (size:a*b,) | f:a b 2*c, (size:a, -1, size:c) | f:a b*c, (size:a, size:b, size:c)",
)
def reshape(input: Any, shape: Any) -> Tensor:
    return _reshaped(need(input), sizes_of((shape,)), name(input, "input"))


@rule(*methods("view_as", "reshape_as"), sample="f:a b, f:b a | f:a b*c, f:a b c")
def view_as(self: Any, other: Any) -> Tensor:
    return _reshaped(need(self), list(need(other).shape), name(self, "self"), "view_as")


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
    if first is not None and end == -1 and isinstance(start, int) and 0 <= start < first:
        return (*shape[:start], unknown())
    if (
        first is not None
        and start == 0
        and isinstance(end, int)
        and -len(shape) <= end < 0
        and pack_index(shape[end:]) is None
    ):
        return (unknown(), *shape[len(shape) + end + 1 :])
    return (ANY_AXES,)


@rule(*both("ravel"), sample="f:*")
def ravel(input: Any) -> Tensor:
    return need(input).of((flatten(input).shape))


@rule(
    *both("unflatten"), sample="f:a b*c d, 1, (size:b, size:c) | f:a b c*4, -1, (-1, 4) | f:a 6, -1, (2, -1)"
)
def unflatten(input: Any, dim: Any, sizes: Any) -> Tensor:
    tensor, who = need(input), name(input, "input")
    wanted = _entries(sizes_of((sizes,)))
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
        known = all(not isinstance(e, Pack) and not _may_be_one(e) for e in tensor.shape)
        return tensor.of(tuple(e for e in tensor.shape if e != 1) if known else (ANY_AXES,))
    try:
        places = axes_of(tensor.shape, sizes_of(dim), who)
    except Undecided:
        return tensor.of((ANY_AXES,))
    if any(_may_be_one(entry_size(tensor.shape[p])) for p in places if tensor.shape):
        return tensor.of((ANY_AXES,))
    return tensor.of(tuple(e for i, e in enumerate(tensor.shape) if i not in places or e != 1))


def _may_be_one(size: Size) -> bool:
    """Nothing says that it is not 1; a named axis claims every size, so it is not."""
    return isinstance(size, Poly) and any(a.kind != "axis" for a in atoms(size))


@rule(
    "torch.Tensor.expand",
    sample="f:1 a, size:b, size:a | f:1 a, (size:b, -1) | f:a, size:b, -1 | f:#a #b, size:a, size:b",
)
def expand(self: Any, *size: Any) -> Tensor:
    return _expanded(need(self), sizes_of(size), name(self, "self"))


def _expanded(tensor: Tensor, wanted: list[Any], who: str) -> Tensor:
    entries = _entries(wanted)
    if tensor.rank is None or any(isinstance(e, Pack) for e in entries):
        made = tuple(unknown() if e == -1 else e for e in entries)
        return tensor.of(made)
    extra = len(entries) - len(tensor.shape)
    if extra < 0:
        raise ShapeError(f"expand{show(entries)} has fewer axes than {who} of shape {show(tensor.shape)}")
    made: list[Entry] = []
    for i, entry in enumerate(entries):
        if i < extra:
            if entry == -1:
                raise ShapeError(
                    f"expand{show(entries)}: -1 stands for an axis of {who}, which has only {len(tensor.shape)}"
                )
            made.append(entry)
            continue
        old = entry_size(tensor.shape[i - extra])
        size = entry_size(entry)
        if size == -1:
            made.append(old)
        elif old != 1 and same(old, size) is False:
            raise ShapeError(
                f"expand{show(entries)}: axis {i - extra} of {who} is {old}, only an axis of size 1 can become {size}"
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


# --- repetition --------------------------------------------------------------------------------


@rule("torch.Tensor.repeat", sample="f:a b, 2, 3 | f:a b, (size:c, 1, 2) | f:a, size:b, 1")
def repeat(self: Any, *repeats: Any) -> Tensor:
    tensor, times = need(self), _entries(sizes_of(repeats))
    if tensor.rank is None:
        return tensor.of(tuple(unknown() for _ in times))
    extra = len(times) - len(tensor.shape)
    if extra < 0:
        raise ShapeError(
            f"repeat has {len(times)} numbers and {name(self, 'self')} has {len(tensor.shape)} axes"
        )
    padded = (*(1 for _ in range(extra)), *tensor.sizes())
    return tensor.of(size * entry_size(n) for size, n in zip(padded, times, strict=True))


@rule("torch.Tensor.tile", sample="f:a b, 2, 3 | f:a b, 2 | f:a, (2, size:b)")
def tile_method(self: Any, *dims: Any) -> Tensor:
    tensor, times = need(self), _entries(sizes_of(dims))
    return repeat(tensor, *(1 for _ in range(len(tensor.sizes()) - len(times))), *times)


@rule("torch.tile", sample="f:a b, (2, 3) | f:a b, (2,)")
def tile(input: Any, dims: Any) -> Tensor:
    return tile_method(input, dims)


@rule(
    *both("repeat_interleave"), sample="f:a b, 2, dim | f:a b, 3 | f:a b, size:c, dim=0 | f:a b, 2, dim=dim"
)
def repeat_interleave(input: Any, repeats: Any = None, dim: Any = None, *, output_size: Any = None) -> Tensor:
    tensor = need(input)
    times = repeats if is_size(repeats) else None
    if isinstance(repeats, Tensor) and repeats.shape == (1,):
        times = None
    if repeats is None:
        return tensor.of((unknown() if output_size is None else output_size,))
    if dim is None:
        total = flatten(tensor).shape[0]
        return tensor.of((total * times if times is not None else unknown(),))
    try:
        place = axis_index(tensor.shape, literal(dim), name(input, "input"))
    except Undecided:
        return tensor.of(tuple(e if isinstance(e, Pack) else unknown() for e in tensor.shape))
    if not tensor.shape:
        return tensor.of((times if times is not None else unknown(),))
    size = (
        tensor.shape[place] * times
        if times is not None
        else output_size
        if is_size(output_size)
        else unknown()
    )
    return tensor.of(replaced(tensor.shape, place, size))


# --- the order of axes -------------------------------------------------------------------------


def _permuted(tensor: Tensor, order: list[int]) -> Tensor:
    shape = tuple(tensor.shape[i] for i in order)
    return Tensor(
        shape,
        tensor.dtype,
        deliberate=tensor.deliberate,
        layout=permuted(tensor.layout, order),
        library=tensor.library,
    )


@rule(
    *both("transpose", "swapaxes", "swapdims"), sample="f:*, dim, dim | f:a b c d, 1, 2 | f:... a b, -1, -2"
)
def transpose(input: Any, dim0: Any, dim1: Any) -> Tensor:
    tensor, who = need(input), name(input, "input")
    try:
        i, j = (axis_index(tensor.shape, literal(d), who) for d in (dim0, dim1))
    except Undecided:
        unseen = (ANY_AXES,) if tensor.rank is None else tuple(unknown() for _ in tensor.shape)
        return tensor.of(unseen)
    if not tensor.shape:
        return tensor
    order = list(range(len(tensor.shape)))
    order[i], order[j] = j, i
    if (
        any(isinstance(e, Pack) for e in tensor.shape[min(i, j) + 1 : max(i, j)])
        or pack_index(tensor.shape) is not None
    ):
        return tensor.of(tuple(tensor.shape[k] for k in order))
    return _permuted(tensor, order)


@rule("torch.Tensor.permute", sample="f:*, perm | f:a b c, 0, 2, 1 | f:a b c, 2, 0, -2")
def permute_method(self: Any, *dims: Any) -> Tensor:
    return permute(self, sizes_of(dims))


@rule("torch.permute", sample="f:*, perm | f:a b c, (0, 2, 1)")
def permute(input: Any, dims: Any) -> Tensor:
    tensor, who, order = need(input), name(input, "input"), sizes_of((dims,))
    if tensor.rank is None:
        known = sum(not isinstance(e, Pack) for e in tensor.shape)
        if known > len(order):
            raise ShapeError(f"permute names {len(order)} axes and {who} has shape {show(tensor.shape)}")
        return tensor.of(tuple(unknown() for _ in order))
    if len(order) != len(tensor.shape):
        raise ShapeError(
            f"permute{tuple(order)} names {len(order)} axes and {who} has {len(tensor.shape)}: {show(tensor.shape)}"
        )
    try:
        places = axes_of(tensor.shape, order, who)
    except Undecided:
        return tensor.of(tuple(unknown() for _ in order))
    return _permuted(tensor, places) if places and tensor.shape else tensor


@rule(*both("movedim", "moveaxis"), sample="f:*, dim, dim | f:a b c d, (0, 1), (-1, -2) | f:a b c, 0, -1")
def movedim(input: Any, source: Any, destination: Any) -> Tensor:
    tensor, who = need(input), name(input, "input")
    from_ = [source] if is_size(source) else list(source)
    to = [destination] if is_size(destination) else list(destination)
    if len(from_) != len(to):
        raise ShapeError(f"movedim from {len(from_)} axes to {len(to)}")
    try:
        tensor.sizes()
        sources, targets = axes_of(tensor.shape, from_, who), axes_of(tensor.shape, to, who)
    except Undecided:
        return tensor.of((ANY_AXES,) if tensor.rank is None else tuple(unknown() for _ in tensor.shape))
    if not tensor.shape:
        return tensor
    order: list[int | None] = [None] * len(tensor.shape)
    for s, t in zip(sources, targets, strict=True):
        order[t] = s
    rest = iter(i for i in range(len(tensor.shape)) if i not in sources)
    return _permuted(tensor, [next(rest) if o is None else o for o in order])


@rule(*both("t"), sample="f:a b | f:a")
def t(input: Any) -> Tensor:
    tensor = need(input)
    if tensor.rank is None:
        raise Undecided
    if len(tensor.shape) > 2:
        raise ShapeError(
            f"{name(input, 'input')} has shape {show(tensor.shape)}: t() takes two axes", hint="use .mT"
        )
    return transpose(tensor, 0, 1) if len(tensor.shape) == 2 else tensor


@attribute("torch.Tensor.T", sample="f:a b")
def T(self: Any) -> Tensor:
    tensor = need(self)
    if tensor.rank is None:
        return tensor.of((ANY_AXES,))
    return _permuted(tensor, list(reversed(range(len(tensor.shape)))))


@attribute("torch.Tensor.mT", "torch.Tensor.mH", sample="f:... a b")
def mT(self: Any) -> Tensor:
    if need(self).rank is not None and len(self.shape) < 2:
        raise ShapeError(f"{name(self, 'self')} has shape {show(self.shape)}: .mT swaps its last two axes")
    return transpose(self, -2, -1)


@attribute("torch.Tensor.H", sample="f:a b")
def H(self: Any) -> Tensor:
    if need(self).rank not in (None, 0, 2):
        raise ShapeError(
            f"{name(self, 'self')} has shape {show(self.shape)}: .H takes a matrix", hint="use .mH"
        )
    return T(self)


@rule(*both("adjoint"), sample="f:... a b")
def adjoint(input: Any) -> Tensor:
    return mT(input)


# --- the same shape ----------------------------------------------------------------------------


@rule(*both("flip"), sample="f:*, dims | f:a b, (0,)")
def flip(input: Any, *dims: Any) -> Tensor:
    tensor = need(input)
    try:
        axes_of(tensor.shape, sizes_of(dims), name(input, "input"))
    except Undecided:
        pass
    return tensor.of(tensor.shape)


@rule(*both("fliplr"), sample="f:a b ...")
def fliplr(input: Any) -> Tensor:
    if need(input).rank in (0, 1):
        raise ShapeError(f"{name(input, 'input')} has shape {show(input.shape)}, wanted at least two axes")
    return input.of(input.shape)


@rule(*both("flipud"), sample="f:a ...")
def flipud(input: Any) -> Tensor:
    if need(input).rank == 0:
        raise ShapeError(f"{name(input, 'input')} has no axes")
    return input.of(input.shape)


@rule(*both("roll"), sample="f:*, 1 | f:*, 1, dim | f:a b, (1, 2), (0, 1)")
def roll(input: Any, shifts: Any, dims: Any = None) -> Tensor:
    tensor = need(input)
    given = [] if dims is None else [dims] if is_size(dims) else list(dims)
    shifted = [shifts] if is_size(shifts) else list(shifts)
    if given and len(given) != len(shifted) or not given and len(shifted) > 1:
        raise ShapeError(f"roll has {len(shifted)} shifts and {len(given)} axes")
    if given and not tensor.shape:
        raise ShapeError(f"{name(input, 'input')} has no axes, dims={dims}")
    for dim in given:
        if isinstance(dim, int):
            try:
                axis_index(tensor.shape, dim, name(input, "input"))
            except Undecided:
                pass
    return tensor.of(tensor.shape)


@rule(*both("rot90"), sample="f:a b c | f:a b, 1, (0, 1) | f:a b, 2, (0, 1)")
def rot90(input: Any, k: Any = 1, dims: Any = (0, 1)) -> Tensor:
    tensor = need(input)
    i, j = axes_of(tensor.sizes(), dims, name(input, "input"))
    order = list(range(len(tensor.shape)))
    if literal(k) % 2:
        order[i], order[j] = j, i
    return tensor.of(tensor.shape[p] for p in order)


@rule(*methods("contiguous", "clone"), "torch.clone", sample="n:*")
def contiguous(input: Any, *, memory_format: Any = None) -> Tensor:
    tensor = need(input)
    layout = contiguous_strides(tensor.shape) if tensor.rank is not None else None
    return Tensor(
        tensor.shape, tensor.dtype, deliberate=tensor.deliberate, layout=layout, library=tensor.library
    )
