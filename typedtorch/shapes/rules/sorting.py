"""Sorting and searching, triangles and diagonals, counting."""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

import contextlib
from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.dtypes import BIT, BOOL, COMPLEX, FLOATING, INT64, INTEGER, NOT_COMPLEX
from typedtorch.shapes.equality import same
from typedtorch.shapes.rule import Record, name, rule
from typedtorch.shapes.rules.forms import both, expect_shape, is_size, literal, need
from typedtorch.shapes.rules.layout import fresh
from typedtorch.shapes.rules.promotion import mask_of, want
from typedtorch.shapes.size import Poly, Size, counted, unknown
from typedtorch.shapes.tensor import (
    UNKNOWN,
    Pack,
    Shape,
    ShapeError,
    Tensor,
    Undecided,
    axis_index,
    entry_size,
    replaced,
    show,
)


def check_axis(tensor: Tensor, dim: Any, who: str) -> None:
    """Whether the tensor has this axis, as far as is known.

    Raises:
        ShapeError: it has not.
    """
    if is_size(dim) and isinstance(dim, int):
        with contextlib.suppress(Undecided):
            axis_index(tensor.shape, dim, who)


@rule(
    *both("sort"),
    sample="r:* | r:*, dim | r:*, dim, bool | r:*, dim=dim, descending=True | r:*, descending=True",
)
def sort(
    input: Any, dim: Any = -1, descending: Any = False, stable: Any = False, *, out: Any = None
) -> Record:
    mask = want(need(input), NOT_COMPLEX, "input", "real numbers")
    if isinstance(dim, bool):
        dim = -1
    check_axis(input, dim, name(input, "input"))
    return Record(values=input.of(input.shape, mask), indices=input.of(input.shape, INT64))


@rule(*both("argsort"), sample="r:* | r:*, dim | r:*, dim, bool | r:*, dim=dim, descending=True")
def argsort(input: Any, dim: Any = -1, descending: Any = False, *, stable: Any = False) -> Tensor:
    made: Tensor = sort(input, dim)[1]
    return made


@rule(*both("msort"), sample="r:a b")
def msort(input: Any) -> Tensor:
    return need(input).of(input.shape, want(input, NOT_COMPLEX, "input", "real numbers"))


@rule(
    *both("topk"),
    sample="r:a B, 3 | r:A b, 2, 0 | r:a B, size:k | r:a B, 3, dim=-1 | r:a B, k=2, dim=1, largest=bool",
)
def topk(
    input: Any, k: Any, dim: Any = -1, largest: Any = True, sorted: Any = True, *, out: Any = None
) -> Record:
    tensor, who = need(input), name(input, "input")
    mask = want(tensor, NOT_COMPLEX & ~BOOL, "input", "real numbers")
    count: Size = k if is_size(k) else unknown()
    try:
        place = axis_index(tensor.shape, literal(dim), who)
    except Undecided:
        shape: Shape = tuple(e if isinstance(e, Pack) else unknown() for e in tensor.shape)
        return Record(values=tensor.of(shape, mask), indices=tensor.of(shape, INT64))
    if not tensor.shape:
        return Record(values=tensor.of((), mask), indices=tensor.of((), INT64))
    size = entry_size(tensor.shape[place])
    if isinstance(count, int) and isinstance(size, int) and not 0 <= count <= size:
        raise ShapeError(f"k={count}, but axis {dim} of {who} is {size}")
    shape = replaced(tensor.shape, place, count)
    return Record(values=fresh(tensor, shape, mask), indices=fresh(tensor, shape, INT64))


@rule(
    "torch.unique",
    "torch.Tensor.unique",
    sample="r:* | r:a b, dim=0 | r:*, return_inverse=True | r:*, return_counts=True | "
    "r:a b, True, True, True",
)
def unique(
    input: Any, sorted: Any = True, return_inverse: Any = False, return_counts: Any = False, dim: Any = None
) -> Any:
    """The number of different elements is unknown."""
    tensor = need(input)
    count = counted()
    if UNKNOWN in (return_inverse, return_counts):
        raise Undecided
    if dim is None:
        values, inverse = tensor.of((count,)), tensor.of(tensor.shape, INT64)
    else:
        place = axis_index(tensor.shape, literal(dim), name(input, "input"))
        if not tensor.shape:
            raise Undecided
        values = tensor.of(replaced(tensor.shape, place, count))
        inverse = tensor.of((tensor.shape[place],), INT64)
    made = [
        values,
        *([inverse] if return_inverse else []),
        *([tensor.of((count,), INT64)] if return_counts else []),
    ]
    return tuple(made) if len(made) > 1 else values


@rule(
    "torch.unique_consecutive",
    "torch.Tensor.unique_consecutive",
    sample="r:* | r:*, return_inverse=True | r:*, return_counts=True",
)
def unique_consecutive(
    input: Any, return_inverse: Any = False, return_counts: Any = False, dim: Any = None
) -> Any:
    return unique(input, True, return_inverse, return_counts, dim)


@rule(*both("nonzero"), sample="n:* | n:a b, as_tuple=True")
def nonzero(input: Any, *, as_tuple: Any = False, out: Any = None) -> Any:
    tensor = need(input)
    if as_tuple is UNKNOWN:
        raise Undecided
    count = counted()
    if as_tuple:
        return tuple(tensor.of((count,), INT64) for _ in tensor.sizes() or (1,))
    rank = tensor.rank
    return tensor.of((count, unknown() if rank is None else rank), INT64)


@rule(*both("argwhere"), sample="n:*")
def argwhere(input: Any) -> Tensor:
    made = nonzero(input)
    assert isinstance(made, Tensor)
    return made


@rule("torch.searchsorted", sample="f:n, f:* | f:a n, f:a m | f:n, 0.5")
def searchsorted(
    sorted_sequence: Any,
    input: Any,
    *,
    out_int32: Any = False,
    right: Any = False,
    side: Any = None,
    sorter: Any = None,
    out: Any = None,
) -> Tensor:
    kind = BIT["int32"] if out_int32 is True else INT64 if out_int32 is False else INT64 | BIT["int32"]
    edges = need(sorted_sequence)
    if input is UNKNOWN:
        raise Undecided
    if not isinstance(input, Tensor):
        if edges.rank not in (None, 1):
            raise ShapeError(
                f"{name(sorted_sequence, 'sorted_sequence')} has shape {show(edges.shape)}, wanted "
                "one axis for a number"
            )
        return edges.of((), kind)
    if edges.rank not in (None, 1) and input.rank is not None:
        rows, given = edges.sizes()[:-1], input.sizes()[:-1]
        if len(rows) != len(given) or any(same(x, y) is False for x, y in zip(rows, given, strict=True)):
            raise ShapeError(
                f"{name(sorted_sequence, 'sorted_sequence')} has shape {show(edges.shape)} and "
                f"{name(input, 'input')} {show(input.shape)}: all axes but the last must agree"
            )
    return input.of(input.shape, kind)


@rule("torch.bucketize", sample="f:*, f:n")
def bucketize(
    input: Any, boundaries: Any, *, out_int32: Any = False, right: Any = False, out: Any = None
) -> Tensor:
    if need(boundaries).rank not in (None, 1):
        raise ShapeError(
            f"{name(boundaries, 'boundaries')} has shape {show(boundaries.shape)}, wanted one axis"
        )
    return searchsorted(boundaries, input, out_int32=out_int32)


@rule("torch.isin", sample="i:*, i:n | i:*, 1 | f:a, f:b")
def isin(elements: Any, test_elements: Any, *, assume_unique: Any = False, invert: Any = False) -> Tensor:
    if not isinstance(elements, Tensor):
        if elements is UNKNOWN:
            raise Undecided
        return Tensor((), BOOL)
    if isinstance(test_elements, Tensor) and mask_of(elements) & (BOOL | COMPLEX) == mask_of(elements):
        raise ShapeError(
            f"{name(elements, 'elements')} is {dtypes.show(mask_of(elements))}, wanted real numbers", "dtype"
        )
    return elements.of(elements.shape, BOOL)


@rule(*both("bincount"), sample="I:n | I:n, minlength=4 | I:n, None, size:A | I:n, F:n | I:n, i:n")
def bincount(input: Any, weights: Any = None, minlength: Any = 0) -> Tensor:
    want(need(input), INTEGER, "input", "integers")
    if input.rank not in (None, 1):
        raise ShapeError(f"{name(input, 'input')} has shape {show(input.shape)}, wanted one axis")
    floats = dtypes.FLOAT32 | dtypes.FLOAT64
    kind = INT64 if weights is None or input.shape == (0,) else INT64 | floats
    if isinstance(weights, Tensor) and input.shape != (0,):
        single = mask_of(weights) & dtypes.FLOAT32
        kind = single | (dtypes.FLOAT64 if mask_of(weights) != single else 0)
        expect_shape(weights, "weights", input.shape)
    if isinstance(minlength, int) and minlength < 0:
        raise ShapeError(f"minlength={minlength}, wanted at least 0")
    # who says how many classes there are means that there are no more
    named = isinstance(minlength, Poly) or (isinstance(minlength, int) and minlength > 1)
    return input.of((minlength if named else unknown(),), kind)


@rule(*both("histc"), sample="F:* | F:*, 10 | F:*, bins=size:n")
def histc(input: Any, bins: Any = 100, min: Any = 0, max: Any = 0, *, out: Any = None) -> Tensor:
    if isinstance(bins, int) and bins < 1:
        raise ShapeError(f"bins={bins}, wanted at least 1")
    return need(input).of(
        (bins if is_size(bins) else unknown(),), want(input, FLOATING | INTEGER, "input", "real numbers")
    )
