"""Operators that join tensors or cut them into pieces."""

from __future__ import annotations

from typing import Any

from typedtorch.shapes.dtypes import FLOAT32
from typedtorch.shapes.equality import generic, is_name, same
from typedtorch.shapes.rule import rule
from typedtorch.shapes.rules.forms import broadcast_operands, is_size, need
from typedtorch.shapes.rules.layout import fresh, row_major
from typedtorch.shapes.rules.promotion import common_dtype, result_type
from typedtorch.shapes.size import Size, is_counted, is_unknown, unknown
from typedtorch.shapes.tensor import (
    ANY_AXES,
    UNKNOWN,
    Entry,
    Pack,
    Shape,
    ShapeError,
    Tensor,
    Undecided,
    axis_index,
    better,
    broadcast,
    entry_size,
    pack_index,
    replaced,
    show,
)


def tensors_of(values: Any) -> list[Tensor]:
    """A list of tensors.

    Raises:
        ShapeError: it is empty, or one tensor.
        Undecided: it is not a list of tensors.
    """
    if isinstance(values, Tensor) and values.rank is not None:
        raise ShapeError(
            f"{values.label or 'it'} is one tensor of shape {show(values.shape)}, wanted several"
        )
    if not isinstance(values, (list, tuple)):
        raise Undecided
    if not values:
        raise ShapeError("expected a non-empty list of tensors")
    if all(v is UNKNOWN for v in values):
        raise Undecided
    return [Tensor((ANY_AXES,)) if v is UNKNOWN else need(v) for v in values]


def _called(tensors: list[Tensor], i: int) -> str:
    return tensors[i].label or f"tensor {i}"


@rule("torch.cat", "torch.concat", "torch.concatenate", sample=(
    "[f:a b, f:c b], 0 | [f:a b c, f:a b d], -1 | [f:a b c, n:a d c, f:a b c], 1 | [f:a b]* | "
        "[n:*, n:*], dim | [f:a b, f:a c], dim=1 | [f:a b, f:a c], axis=1"))  # fmt: skip
def cat(tensors: Any, dim: Any = 0, *, out: Any = None) -> Tensor:
    given = tensors_of(tensors)
    mask = result_type(*given)
    if any(t.shape == () for t in given):
        i = next(i for i, t in enumerate(given) if t.shape == ())
        raise ShapeError(f"{_called(given, i)} has no axes, so it cannot be concatenated", hint="use stack")
    kept = [t for t in given if not _may_be_skipped(t, given)] or given
    if any(
        t.shape != (0,)
        and pack_index(t.shape) is None
        and len(t.shape) == 1
        and isinstance(t.shape[0], int)
        and t.shape[0] == 0
        for t in given
    ):
        raise Undecided
    if all(t.shape == (0,) for t in given):
        return given[0].of((0,), mask)  # along whichever axis
    shape = _joined(kept, dim, given)
    return fresh(given[0], shape, mask) if row_major(*given) else given[0].of(shape, mask)


def _may_be_skipped(tensor: Tensor, given: list[Tensor]) -> bool:
    """torch skips empty vectors: among matrices, a vector of unknown size is one."""
    if len(tensor.shape) != 1 or isinstance(tensor.shape[0], Pack):
        return False
    size = tensor.shape[0]
    if isinstance(size, int) or is_counted(size) or not is_unknown(size):
        return size == 0
    return any(sum(not isinstance(e, Pack) for e in t.shape) > 1 for t in given)


def _seen_at(shape: Shape, at: int, rank: int) -> Size | None:
    """An axis of a shape of so many axes, where those that it does not show lie on one side of it."""
    pack = pack_index(shape)
    if pack is not None and at >= pack:
        at -= rank
    entry = shape[at] if pack is None or at >= pack - len(shape) + 1 else None
    return None if isinstance(entry, Pack) else entry


def _joined(tensors: list[Tensor], dim: Any, given: list[Tensor]) -> Shape:
    if not is_size(dim) or not isinstance(dim, int):
        ranks = {t.rank for t in tensors}
        return (
            tuple(unknown() for _ in range(len(tensors[0].shape)))
            if len(ranks) == 1 and None not in ranks
            else (ANY_AXES,)
        )
    if all(t.rank is not None for t in tensors):
        return _joined_known(tensors, dim)
    known = [t for t in tensors if t.rank is not None]
    if known:
        _joined_known(known, dim)
        shape = known[0].shape
        at = axis_index(shape, dim)
        sizes = [_seen_at(t.shape, at, len(shape)) for t in tensors]
        total = unknown() if None in sizes else sum((s for s in sizes if s is not None), start=0)
        return replaced(shape, at, total)
    return _joined_packs(tensors, dim)


def _joined_known(tensors: list[Tensor], dim: int) -> Shape:
    first = tensors[0]
    place = axis_index(first.shape, dim, _called(tensors, 0))
    shape = list(first.sizes())
    for i, tensor in enumerate(tensors[1:], 1):
        if len(tensor.shape) != len(shape):
            raise ShapeError(
                f"{_called(tensors, 0)} has shape {show(first.shape)} and {_called(tensors, i)} has "
                f"shape {show(tensor.shape)}: "
                "they must have the same number of axes"
            )
        for k, (x, y) in enumerate(zip(shape, tensor.sizes(), strict=True)):
            if k == place:
                shape[k] = x + y
            elif same(x, y) is False or _is_other_way(first, tensor, place, k):
                raise ShapeError(
                    f"axis {k} of {_called(tensors, 0)} is {x} and of {_called(tensors, i)} {y}; only "
                    f"axis {place} may differ",
                    hint=_cat_hint(tensors),
                )
            else:
                shape[k] = better(x, y)
    return tuple(shape)


def _is_other_way(first: Tensor, other: Tensor, place: int, k: int) -> bool:
    """Whether two batches of one size that fit along another axis are joined along the first.

    ``cat((tokens, token))`` of ``(batch, seq)`` and ``(batch, 1)``: along the first axis that works for one
    token alone, along the second for any number.
    """
    if place != 0:
        return False
    pairs = list(zip(first.sizes(), other.sizes(), strict=True))
    if 1 not in pairs[k] or not all(at == k or str(x) == str(y) for at, (x, y) in enumerate(pairs)):
        return False
    return all(not isinstance(size, int) and generic(size) for size in (sum(pairs[k]) - 1, pairs[place][0]))


def _cat_hint(tensors: list[Tensor]) -> str | None:
    """The axis along which all of them fit, unless a number has to be what a name says."""
    if len({len(t.shape) for t in tensors}) > 1:
        return None
    axes = list(zip(*(t.sizes() for t in tensors), strict=True))
    differ = [k for k, sizes in enumerate(axes) if not all(_is_one(sizes[0], size) for size in sizes)]
    if len(differ) != 1 or not all(isinstance(size, int) or is_name(size) for size in axes[differ[0]]):
        return None  # nothing is joined along an axis that is only rounded otherwise
    return f"along axis {differ[0]} they fit"


def _is_one(a: Size, b: Size) -> bool:
    return same(a, b) is True or str(a) == str(b) or (same(a, b) is None and (is_unknown(a) or is_unknown(b)))


def _joined_packs(tensors: list[Tensor], dim: int) -> Shape:
    """All have runs of unknown axes: decided where they agree around the joined axis."""
    try:
        places = [axis_index(t.shape, dim) for t in tensors]
    except Undecided:
        return (ANY_AXES,)
    first, place = tensors[0].shape, places[0]
    total: Size = 0
    for tensor, at in zip(tensors, places, strict=True):
        total = total + entry_size(tensor.shape[at])
        if len(tensor.shape) != len(first) or at != place:
            return (ANY_AXES,)
    merged: list[Entry] = []
    for k, entry in enumerate(first):
        others = [t.shape[k] for t in tensors[1:]]
        if k == place:
            merged.append(total)
        elif isinstance(entry, Pack) or any(isinstance(o, Pack) for o in others):
            if any(o != entry for o in others):
                return (ANY_AXES,)
            merged.append(entry)
        else:
            merged.append(entry if all(o == entry for o in others) else unknown())
    return tuple(merged)


@rule(
    "torch.stack",
    sample="[f:a b]*, place | [f:*, f:*], place | [f:a b, f:a b], -1 | [f:a, n:a] | [f:a b, f:a b], dim=1",
)
def stack(tensors: Any, dim: Any = 0, *, out: Any = None) -> Tensor:
    given = tensors_of(tensors)
    mask = result_type(*given)
    shape = _equal_shapes(given)
    count = len(given)
    if not isinstance(dim, int):
        return given[0].of(
            (ANY_AXES,) if pack_index(shape) is not None else tuple(unknown() for _ in range(len(shape) + 1)),
            mask,
        )
    try:
        place = axis_index(shape, dim, _called(given, 0), insert=True)
    except Undecided:
        return given[0].of((ANY_AXES,), mask)
    return given[0].of((*shape[:place], count, *shape[place:]), mask)


def _equal_shapes(given: list[Tensor]) -> Shape:
    known = [(i, t) for i, t in enumerate(given) if t.rank is not None]
    if not known:
        return _equal_runs([t.shape for t in given])
    at, first = known[0]
    shape = list(first.sizes())
    for i, tensor in known[1:]:
        if len(tensor.shape) != len(shape):
            raise ShapeError(
                f"{_called(given, at)} has shape {show(first.shape)} and {_called(given, i)} "
                f"{show(tensor.shape)}: stack needs equal shapes"
            )
        for k, (x, y) in enumerate(zip(shape, tensor.sizes(), strict=True)):
            if same(x, y) is False:
                raise ShapeError(
                    f"axis {k} of {_called(given, at)} is {x} and of {_called(given, i)} {y}: stack "
                    "needs equal shapes",
                    hint=_joinable(first, tensor),
                )
            shape[k] = better(x, y)
    return tuple(shape)


def _joinable(first: Tensor, other: Tensor) -> str | None:
    """``cat`` takes what differs along one axis; ``(h, w)`` and ``(w, h)`` are not joined by it either."""
    sizes = zip(first.sizes(), other.sizes(), strict=True)
    differ = sum(same(x, y) is False for x, y in sizes) == 1
    return "cat joins along an axis that may differ" if differ else None


def _equal_runs(shapes: list[Shape]) -> Shape:
    """Shapes that are equal, with runs of unknown axes: known where they stand in the same places."""
    first = shapes[0]
    made: list[Entry] = list(first)
    for shape in shapes[1:]:
        if len(shape) != len(first):
            return (ANY_AXES,)
        for k, (x, y) in enumerate(zip(made, shape, strict=True)):
            if isinstance(x, Pack) or isinstance(y, Pack):
                if x != y:
                    return (ANY_AXES,)
            else:
                made[k] = better(x, y)
    return tuple(made)


@rule("torch.hstack", sample="[f:a b, f:a c] | [f:a, f:b]")
def hstack(tensors: Any, *, out: Any = None) -> Tensor:
    given = [t if t.shape else t.of((1,)) for t in tensors_of(tensors)]
    rank = given[0].rank
    if rank is None:
        return given[0].of((ANY_AXES,), result_type(*given))
    return cat(given, 0 if rank == 1 else 1)


def _at_least(tensor: Tensor, rank: int) -> Tensor:
    shape = tensor.sizes()
    if len(shape) == 0:
        shape = (1,)
    if len(shape) == 1 and rank >= 2:
        shape = (1, *shape)
    if len(shape) == 2 and rank >= 3:
        shape = (*shape, 1)
    return tensor.of(shape).named(tensor.label)


@rule("torch.vstack", "torch.row_stack", sample="[f:a b, f:c b] | [f:a, f:a]")
def vstack(tensors: Any, *, out: Any = None) -> Tensor:
    return cat([_at_least(t, 2) for t in tensors_of(tensors)], 0)


@rule("torch.dstack", sample="[f:a b c, f:a b d] | [f:a b, f:a b] | [f:a, f:a]")
def dstack(tensors: Any, *, out: Any = None) -> Tensor:
    return cat([_at_least(t, 3) for t in tensors_of(tensors)], 2)


@rule("torch.column_stack", sample="[f:a b, f:a c] | [f:a, f:a]")
def column_stack(tensors: Any, *, out: Any = None) -> Tensor:
    given = tensors_of(tensors)
    return hstack(
        [
            t.of((*t.sizes(), 1) if len(t.sizes()) == 1 else (1, 1) if not t.shape else t.shape).named(
                t.label
            )
            for t in given
        ]
    )


def _atleast(rank: int) -> Any:
    def atleast(*tensors: Any) -> Any:
        """A tensor or several, with axes of size 1 added."""
        if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
            tensors = tuple(tensors[0])
        made = tuple(_at_least(need(t), rank) for t in tensors)
        return made[0] if len(made) == 1 else made

    return atleast


for _rank in (1, 2, 3):
    rule(f"torch.atleast_{_rank}d", sample="f:* | f:a, f:a b")(_atleast(_rank))


@rule("torch.broadcast_tensors", sample="f:#*, f:#* | f:#a #b, f:b, f:a 1")
def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    shape = broadcast_operands(*((need(t), f"tensor {i}") for i, t in enumerate(tensors)))
    return tuple(t.of(shape) for t in tensors)


@rule("torch.broadcast_shapes", sample="(size:a, 1), (size:a, size:b) | (1, size:b), (size:a, 1)")
def broadcast_shapes(*shapes: Any) -> tuple[Size, ...]:
    if any(s is UNKNOWN for s in shapes):
        raise Undecided
    made = broadcast(*(tuple(s) if isinstance(s, (tuple, list)) else (s,) for s in shapes))
    if any(isinstance(e, Pack) for e in made):
        raise Undecided
    return tuple(entry_size(e) for e in made)


@rule(
    "torch.meshgrid",
    sample="f:a, f:b, indexing='ij' | f:a, f:b, f:c, indexing='xy' | [f:a, f:b], indexing='ij'",
)
def meshgrid(*tensors: Any, indexing: Any = "ij") -> tuple[Tensor, ...]:
    given = tensors_of(tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors)
    common_dtype(*((t, f"tensor {i}") for i, t in enumerate(given)))
    axes: list[Size] = []
    for i, tensor in enumerate(given):
        if tensor.rank is not None and len(tensor.shape) > 1:
            raise ShapeError(
                f"{_called(given, i)} has shape {show(tensor.shape)}: meshgrid takes one axis each"
            )
        axes.append(unknown() if tensor.rank is None else entry_size(tensor.shape[0]) if tensor.shape else 1)
    if indexing is UNKNOWN:
        axes = [unknown() for _ in axes]
    elif indexing == "xy" and len(axes) > 1:
        axes[:2] = axes[1], axes[0]
    return tuple(t.of(axes) for t in given)


@rule("torch.cartesian_prod", sample="f:a, f:b | f:a, f:b, f:c")
def cartesian_prod(*tensors: Any) -> Tensor:
    given = tensors_of(tensors)
    for i, tensor in enumerate(given):
        if tensor.rank not in (None, 1):
            raise ShapeError(f"{_called(given, i)} has shape {show(tensor.shape)}, wanted one axis")
    grid = meshgrid(*given)
    if len(given) == 1:
        return given[0]
    total: Size = 1
    for size in grid[0].sizes():
        total = total * size
    return given[0].of((total, len(given)))


@rule("torch.block_diag", sample="f:a b, f:c d | f:a, f:b c")
def block_diag(*tensors: Any) -> Tensor:
    rows: Size = 0
    columns: Size = 0
    if not tensors:
        return Tensor((1, 0), FLOAT32)
    given = tensors_of(tensors)
    for i, tensor in enumerate(given):
        if len(tensor.sizes()) > 2:
            raise ShapeError(f"{_called(given, i)} has shape {show(tensor.shape)}, wanted at most two axes")
        height, width = _at_least(tensor, 2).sizes()
        rows, columns = rows + height, columns + width
    return given[0].of((rows, columns), result_type(*given))
