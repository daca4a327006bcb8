"""Operators that take indices as an argument: gather, scatter and their relatives."""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import Any

from typedtorch.shapes.bounds import positive
from typedtorch.shapes.dtypes import ANY, BIT, BOOL, INT64
from typedtorch.shapes.equality import is_argument, same
from typedtorch.shapes.rule import name, rule
from typedtorch.shapes.rules.forms import both, is_size, literal, need, pointwise
from typedtorch.shapes.rules.indexing import INDEX, broadcastable_into, check_range
from typedtorch.shapes.rules.promotion import common_dtype, mask_of, want
from typedtorch.shapes.rules.properties import several
from typedtorch.shapes.rules.views import flatten
from typedtorch.shapes.rules.written import called
from typedtorch.shapes.size import Poly, Size, atoms, counted, unknown
from typedtorch.shapes.tensor import (
    ANY_AXES,
    UNKNOWN,
    Entry,
    Pack,
    ShapeError,
    Tensor,
    Undecided,
    axis_index,
    broadcast,
    broadcast_size,
    entry_size,
    pack_index,
    replaced,
    show,
)


def _index_dtype(index: Any, parameter: str = "index", allowed: int = INT64 | BIT["int32"]) -> None:
    who = name(index, parameter)
    want(
        need(index),
        allowed,
        parameter,
        "int64" if allowed == INT64 else "int64 or int32",
        f"use {who}.long()",
    )


@rule(*both("gather"), sample="f:a b c, dim, I:a b c | f:a b, 1, I:a n | f:a b, 0, I:n b")
def gather(input: Any, dim: Any, index: Any, *, sparse_grad: Any = False, out: Any = None) -> Tensor:
    """The shape of the index; along the other axes it may not be larger than the input."""
    tensor, where = need(input), need(index)
    made = tensor.of(where.shape)
    if 0 in where.shape:
        return made  # torch looks no further at an index without elements
    _index_dtype(index)
    if tensor.rank is None or where.rank is None:
        return made
    _check_ranks(tensor, where, "index")
    if dim is UNKNOWN or isinstance(dim, Poly):
        return made
    place = axis_index(tensor.shape, literal(dim), name(input, "input"))
    if where.shape and tensor.shape:  # one of no axes counts as one of one element
        for i, (x, y) in enumerate(zip(where.sizes(), tensor.sizes(), strict=True)):
            if i != place:
                _check_within(x, y, i, name(index, "index"), name(input, "input"))
    return made


def _check_ranks(tensor: Tensor, other: Tensor, parameter: str) -> None:
    if max(len(tensor.shape), 1) != max(len(other.shape), 1):
        raise ShapeError(
            f"{name(other, parameter)} has shape {show(other.shape)} and {name(tensor, 'input')} has "
            f"shape {show(tensor.shape)}: "
            "they must have the same number of axes",
            hint=f"{called(name(other, parameter))}.unsqueeze(-1)"
            if len(tensor.shape) == len(other.shape) + 1
            else None,
        )


def _check_within(part: Size, whole: Size, place: int, who: str, of: str) -> None:
    """Refused where one is certainly larger; how many were asked for (``topk(k)``) may be fewer.

    ``n - 1`` and ``n // 2`` are no larger than ``n``; of two names either may be.
    """
    if isinstance(part, int) and isinstance(whole, int):
        too_large = part > whole
    elif atoms(part) & atoms(whole):
        too_large = positive(part - whole)
    else:
        too_large = same(part, whole) is False and part != 1 and not is_argument(part)
    if too_large:
        raise ShapeError(f"axis {place} of {who} is {part} and of {of} {whole}")


@rule(*both("take_along_dim"), sample="f:a b, I:a n, 1 | f:a b, I:n b, 0 | f:a b, I:n")
def take_along_dim(input: Any, indices: Any, dim: Any = None, *, out: Any = None) -> Tensor:
    tensor, where = need(input), need(indices)
    allowed = INDEX if dim is None else INT64
    want(where, allowed, "indices", "int64", f"use {name(indices, 'indices')}.long()")
    if dim is None:
        return tensor.of(flatten(where).shape)
    tensor.sizes(), where.sizes()
    _check_ranks(tensor, where, "indices")
    place = axis_index(tensor.shape, literal(dim), name(input, "input"))
    if not tensor.shape:
        return tensor.of(where.shape)
    masked = broadcast(replaced(tensor.shape, place, 1), replaced(where.shape, place, 1))
    return tensor.of(replaced(masked, place, where.shape[place]))


@rule(*both("take"), sample="f:a b, I:n m")
def take(input: Any, index: Any) -> Tensor:
    want(need(index), INT64, "index", "int64", f"use {name(index, 'index')}.long()")
    return need(input).of(index.shape)


@rule(*both("index_select"), sample="f:a b c, dim, I:n | f:a b c, 1, I:n")
def index_select(input: Any, dim: Any, index: Any, *, out: Any = None) -> Tensor:
    tensor, where = need(input), need(index)
    _index_dtype(index)
    if where.rank not in (None, 0, 1):
        raise ShapeError(f"{name(index, 'index')} has shape {show(where.shape)}, wanted one axis")
    count: Entry = unknown() if where.rank is None else where.shape[0] if where.shape else 1
    try:
        place = axis_index(tensor.shape, literal(dim), name(input, "input"))
    except Undecided:
        return tensor.of(tuple(e if isinstance(e, Pack) else unknown() for e in tensor.shape))
    return tensor.of(replaced(tensor.shape, place, count) if tensor.shape else ())


@rule(*both("masked_select"), sample="f:a b, B:a b | f:a b, B:b")
def masked_select(input: Any, mask: Any, *, out: Any = None) -> Tensor:
    want(need(mask), BOOL, "mask", "a bool mask", "compare: x != 0")
    pointwise((need(input), "input"), (mask, "mask"), dtype=ANY)
    return input.of((counted(),))


@rule(
    "torch.Tensor.masked_fill",
    "torch.masked_fill",
    sample="f:#*, B:#*, 0.0 | f:a b c, B:b c, -1.0 | i:a b, B:a b, 0 | f:a, B:a, F:",
)
def masked_fill(input: Any, mask: Any, value: Any) -> Tensor:
    _check_fill(need(input), value)
    if mask is not UNKNOWN:
        want(need(mask), BOOL, "mask", "a bool mask", _bool_hint(mask))
        made = pointwise((input, "input"), (mask, "mask"), dtype=mask_of(input))
    if mask is UNKNOWN or pack_index(mask.shape) is not None:
        # a mask seldom has more axes than what it covers, and stretches only axes of size 1
        shape = tuple(e if isinstance(e, Pack) else broadcast_size(e, unknown()) for e in input.shape)
        return input.of(shape)
    return replace(made, layout=None)


def _bool_hint(mask: Tensor) -> str:
    """What is filled is where the mask is true: a mask of ones and zeros may mark this, or what is kept."""
    who = called(name(mask, "mask"))
    return f"{who}.bool(), or {who} == 0 where it marks what is kept"


def _check_fill(input: Tensor, value: Any) -> None:
    if isinstance(value, Tensor) and value.rank not in (None, 0):
        raise ShapeError(
            f"{name(value, 'value')} has shape {show(value.shape)}: masked_fill takes one number",
            hint="use torch.where",
        )


@rule("torch.Tensor.masked_fill_", sample="f:*, B:#*, 0.0")
def masked_fill_(self: Any, mask: Any, value: Any) -> Tensor:
    made = masked_fill(self, mask, value)
    if broadcastable_into(need(mask).shape, need(self).shape) is False:
        raise ShapeError(
            f"{name(mask, 'mask')} of shape {show(mask.shape)} does not broadcast to {show(self.shape)}"
        )
    return made.of(self.shape, mask_of(self))


@rule(*both("masked_scatter"), sample="f:a b, B:a b, f:c | f:a b, B:b, f:a b")
def masked_scatter(input: Any, mask: Any, source: Any) -> Tensor:
    want(need(mask), BOOL, "mask", "a bool mask")
    dtype = common_dtype((need(input), "input"), (need(source), "source"))
    return replace(pointwise((input, "input"), (mask, "mask"), dtype=dtype), layout=None)


@rule(*both("scatter", "scatter_add"), "torch.Tensor.scatter_", "torch.Tensor.scatter_add_",
      sample="f:a b, 1, I:a b, f:a b | f:a b, dim, I:a b, f:a b")  # fmt: skip
def scatter(
    input: Any,
    dim: Any,
    index: Any,
    src: Any = None,
    *,
    value: Any = None,
    reduce: Any = None,
    out: Any = None,
) -> Tensor:
    tensor, where = need(input), need(index)
    _index_dtype(index)
    source = src if src is not None else value
    if isinstance(source, Tensor) and (source.shape or source is src):
        common_dtype((tensor, "input"), (source, "src"))
    if tensor.rank is None or where.rank is None:
        return tensor.of(tensor.shape)
    _check_ranks(tensor, where, "index")
    if (
        isinstance(source, Tensor)
        and source.rank is not None
        and (source.shape or (_is_one(source, src) and 0 not in where.shape))
    ):
        _check_ranks(where.named(name(index, "index")), source, "src")
    if not is_size(dim) or isinstance(dim, Poly):
        return tensor.of(tensor.shape)
    place = axis_index(tensor.shape, literal(dim), name(input, "input"))
    for i, (x, y) in (
        enumerate(zip(where.sizes(), tensor.sizes(), strict=True)) if where.shape and tensor.shape else ()
    ):
        if i != place:
            _check_within(x, y, i, name(index, "index"), name(input, "input"))
    if isinstance(source, Tensor) and source.shape == () and where.shape and _is_one(source, src):
        if several(where.shape) and 0 not in where.shape:
            who, places = name(source, "src"), name(index, "index")
            raise ShapeError(
                f"{who} is a single number, without axes, for {places} of shape {show(where.shape)}"
            )
    elif isinstance(source, Tensor) and source.rank is not None and source.shape and where.shape:
        for i, (x, y) in enumerate(zip(where.sizes(), source.sizes(), strict=True)):
            _check_within(x, y, i, name(index, "index"), name(source, "src"))
    return tensor.of(tensor.shape)


def _is_one(source: Tensor, src: Any) -> bool:
    """A tensor without axes is one element of one axis, not a number for every place."""
    return source is src and source.library == "torch"


@rule(
    "torch.Tensor.scatter_reduce",
    "torch.scatter_reduce",
    "torch.Tensor.scatter_reduce_",
    sample="f:a b, 1, I:a b, f:a b, 'sum' | f:a b, dim, I:a b, f:a b, 'amax'",
)
def scatter_reduce(
    input: Any, dim: Any, index: Any, src: Any, reduce: Any, *, include_self: Any = True
) -> Tensor:
    return scatter(input, dim, index, src)


@rule(
    *both("index_add", "index_copy"),
    "torch.Tensor.index_add_",
    "torch.Tensor.index_copy_",
    sample="f:a b, 0, I:n, f:n b | f:a b, 1, I:n, f:a n",
)
def index_add(input: Any, dim: Any, index: Any, source: Any, *, alpha: Any = 1, out: Any = None) -> Tensor:
    tensor, where, added = need(input), need(index), need(source)
    _index_dtype(index)
    common_dtype((tensor, "input"), (added, "source"))
    if where.rank not in (None, 0, 1):
        raise ShapeError(f"{name(index, 'index')} has shape {show(where.shape)}, wanted one axis")
    if None in (tensor.rank, where.rank, added.rank) or not tensor.shape:
        return tensor.of(tensor.shape)
    place = axis_index(tensor.shape, literal(dim), name(input, "input"))
    wanted = replaced(tensor.shape, place, where.shape[0] if where.shape else 1)
    if added.shape == () and wanted == (1,):
        raise Undecided  # index_copy takes it, index_add does not
    if len(added.shape) != len(wanted) or any(
        same(entry_size(x), entry_size(y)) is False for x, y in zip(added.shape, wanted, strict=True)
    ):
        raise ShapeError(f"{name(source, 'source')} has shape {show(added.shape)}, wanted {show(wanted)}")
    return tensor.of(tensor.shape)


@rule(
    *both("index_reduce"),
    "torch.Tensor.index_reduce_",
    sample="F:a b, 0, I:n, F:n b, 'amax' | F:a b, 1, I:n, F:a n, 'mean'",
)
def index_reduce(
    input: Any, dim: Any, index: Any, source: Any, reduce: Any, *, include_self: Any = True, out: Any = None
) -> Tensor:
    return index_add(input, dim, index, source)


@rule(*both("index_fill"), "torch.Tensor.index_fill_", sample="f:a b, dim, I:n, 0.5")
def index_fill(input: Any, dim: Any, index: Any, value: Any) -> Tensor:
    want(need(index), INT64, "index", "int64", f"use {name(index, 'index')}.long()")
    if index.rank not in (None, 0, 1):
        raise ShapeError(f"{name(index, 'index')} has shape {show(index.shape)}, wanted one axis")
    if is_size(dim) and isinstance(dim, int):
        with contextlib.suppress(Undecided):
            axis_index(need(input).shape, dim, name(input, "input"))
    return need(input).of(input.shape)


@rule(*both("select"), sample="f:a b c, dim, 0 | f:a b, 1, -1")
def select(input: Any, dim: Any, index: Any) -> Tensor:
    tensor, who = need(input), name(input, "input")
    if not tensor.shape:
        raise ShapeError(f"{who} has no axes to select from")
    try:
        place = axis_index(tensor.shape, literal(dim), who)
    except Undecided:
        return tensor.of((ANY_AXES,) if tensor.rank is None else tuple(unknown() for _ in tensor.shape[1:]))
    if is_size(index):
        check_range(index, entry_size(tensor.shape[place]), who, place)
    return tensor.of(tensor.shape[:place] + tensor.shape[place + 1 :])


@rule(*both("narrow"), sample="f:A b, 0, 1, 3 | f:A b, 0, 0, size:c")
def narrow(input: Any, dim: Any, start: Any, length: Any) -> Tensor:
    tensor, who = need(input), name(input, "input")
    size: Size = length if is_size(length) else unknown()
    if not tensor.shape:
        raise ShapeError(f"{who} has no axes to narrow")
    try:
        place = axis_index(tensor.shape, literal(dim), who)
    except Undecided:
        return tensor.of(tuple(e if isinstance(e, Pack) else unknown() for e in tensor.shape))
    whole = tensor.shape[place]
    if isinstance(whole, int) and isinstance(start, int) and isinstance(size, int):
        first = start + whole if start < 0 else start
        if first < 0 or first + size > whole:
            raise ShapeError(f"narrow from {start} by {size}, but axis {dim} of {who} is {whole}")
    return tensor.of(replaced(tensor.shape, place, size))
