"""Triangles and diagonals of matrices, neighbours along an axis."""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.bounds import size_min
from typedtorch.shapes.dtypes import ANY, COMPLEX, FLOATING, INTEGER, NOT_BOOL
from typedtorch.shapes.equality import generic, same
from typedtorch.shapes.rule import name, rule
from typedtorch.shapes.rules.forms import both, broadcast_operands, is_size, literal, methods, need
from typedtorch.shapes.rules.joining import cat
from typedtorch.shapes.rules.layout import fresh
from typedtorch.shapes.rules.linear import matmul_shape
from typedtorch.shapes.rules.permuting import mT
from typedtorch.shapes.rules.promotion import common_dtype, dtype_of, mask_of, result_type, want
from typedtorch.shapes.rules.sorting import check_axis
from typedtorch.shapes.rules.views import flatten
from typedtorch.shapes.size import Size, unknown
from typedtorch.shapes.tensor import (
    ANY_AXES,
    UNKNOWN,
    Pack,
    ShapeError,
    Tensor,
    Undecided,
    axis_index,
    broadcast,
    entry_size,
    numel,
    pack_index,
    replaced,
    same_shape,
    show,
    without,
)

# --- triangles and diagonals -------------------------------------------------------------------


@rule(*both("tril", "triu"), sample="n:... a b | n:a b, 1 | n:a b, diagonal=-1")
def tril(input: Any, diagonal: Any = 0, *, out: Any = None) -> Tensor:
    tensor = need(input)
    if tensor.rank is not None and len(tensor.shape) < 2:
        raise ShapeError(f"{name(input, 'input')} has shape {show(tensor.shape)}, wanted a matrix")
    return fresh(tensor, tensor.shape, mask_of(tensor))


@rule("torch.tril_indices", sample="3, 4 | 3, 3, 1 | 4, 3, offset=-1 | 5, 5, -2 | 2, 3, -4 | 3, 2, 9")
def tril_indices(row: Any, col: Any, offset: Any = 0, *, dtype: Any = None, **settings: Any) -> Tensor:
    """Row and column of each element on and below a diagonal."""
    return Tensor((2, _below(row, col, offset)), _of_indices(dtype))


def _of_indices(dtype: Any) -> int:
    made = dtype_of(dtype, dtypes.INT64) & INTEGER
    if not made:
        raise ShapeError(f"indices are integers, got dtype={dtype}", "dtype")
    return made


@rule("torch.triu_indices", sample="3, 4 | 3, 3, 1 | 4, 3, offset=-1 | 5, 5, -2 | 2, 3, -4 | 3, 2, 9")
def triu_indices(row: Any, col: Any, offset: Any = 0, *, dtype: Any = None, **settings: Any) -> Tensor:
    """Row and column of each element on and above a diagonal."""
    return Tensor((2, _below(col, row, -offset if is_size(offset) else unknown())), _of_indices(dtype))


def _below(rows: Any, columns: Any, offset: Any) -> Size:
    """How many elements of a matrix are on and below a diagonal."""
    if isinstance(rows, int) and isinstance(columns, int) and isinstance(offset, int):
        return sum(min(max(r + offset + 1, 0), columns) for r in range(rows))
    if is_size(rows) and rows == columns and offset in (0, -1):
        return rows * (rows + 1 + 2 * offset) // 2
    return unknown()


def _diagonal_length(rows: Size, columns: Size, offset: Any) -> Size:
    if offset is UNKNOWN:
        return unknown()
    if all(isinstance(n, int) for n in (rows, columns, offset)):
        return max(min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns), 0)
    if offset == 0:
        return size_min(rows, columns)
    return rows - abs(offset) if isinstance(offset, int) and same(rows, columns) is True else unknown()


@rule(*both("diagonal"), sample="f:a a | f:A B, 1 | f:a b c, 0, 1, 2 | f:... a a, dim1=-2, dim2=-1")
def diagonal(input: Any, offset: Any = 0, dim1: Any = 0, dim2: Any = 1) -> Tensor:
    tensor, who = need(input), name(input, "input")
    try:
        i, j = (axis_index(tensor.shape, literal(d), who) for d in (dim1, dim2))
    except Undecided:
        return tensor.of((ANY_AXES,))
    if i == j or len(tensor.shape) < 2:
        raise ShapeError(f"diagonal of {who}, {show(tensor.shape)}, over axes {dim1} and {dim2}")
    rest = [e for k, e in enumerate(tensor.shape) if k not in (i, j)]
    return tensor.of(
        (*rest, _diagonal_length(entry_size(tensor.shape[i]), entry_size(tensor.shape[j]), offset))
    )


@rule("torch.linalg.diagonal", sample="f:... a a | f:a A B, offset=1")
def linalg_diagonal(A: Any, *, offset: Any = 0, dim1: Any = -2, dim2: Any = -1) -> Tensor:
    return diagonal(A, offset, dim1, dim2)


@rule(*both("diag"), sample="f:n | f:a a | f:n, 1 | f:A B, -1")
def diag(input: Any, diagonal: Any = 0, *, out: Any = None) -> Tensor:
    """A vector to a matrix, a matrix to a vector."""
    tensor = need(input)
    if tensor.rank is None:
        raise Undecided
    if len(tensor.shape) == 1:
        side = tensor.sizes()[0] + abs(diagonal) if isinstance(diagonal, int) else unknown()
        return tensor.of((side, side))
    if len(tensor.shape) != 2:
        raise ShapeError(
            f"{name(input, 'input')} has shape {show(tensor.shape)}, wanted one axis or two",
            hint="use torch.diagonal" if tensor.shape else None,
        )
    rows, columns = tensor.sizes()
    return tensor.of((_diagonal_length(rows, columns, diagonal),))


@rule(*both("diag_embed"), sample="f:... n | f:a n, 1 | f:a n, 0, 0, 2")
def diag_embed(input: Any, offset: Any = 0, dim1: Any = -2, dim2: Any = -1) -> Tensor:
    tensor = need(input)
    side = entry_size(tensor.shape[-1]) + abs(literal(offset)) if tensor.shape else 1
    if (dim1, dim2) == (-2, -1):
        if not tensor.shape:
            raise ShapeError(f"{name(input, 'input')} has no axes")
        return tensor.of((*tensor.shape[:-1], side, side))
    rest = list(tensor.sizes()[:-1])
    rank = len(tensor.shape) + 1
    if any(not -rank <= d < rank for d in (literal(dim1), literal(dim2))):
        raise ShapeError(f"diag_embed: axes {dim1} and {dim2} are out of range for a result of rank {rank}")
    if dim1 % rank == dim2 % rank:
        raise ShapeError(f"diag_embed: dim1={dim1} and dim2={dim2} are the same axis")
    for place in sorted((dim1 % rank, dim2 % rank)):
        rest.insert(place, side)
    return tensor.of(rest)


@rule(*both("diagflat"), sample="f:a b | f:n, 1")
def diagflat(input: Any, offset: Any = 0) -> Tensor:

    side = entry_size(flatten(input).shape[0]) + abs(literal(offset))
    return input.of((side, side))


# --- neighbours along an axis ------------------------------------------------------------------


@rule(*both("diff"), sample="f:a B | f:a B, 1, -1 | f:A b, dim=0 | f:a B, 2")
def diff(input: Any, n: Any = 1, dim: Any = -1, prepend: Any = None, append: Any = None) -> Tensor:

    tensor, who = need(input), name(input, "input")
    if not tensor.shape:
        raise ShapeError(f"{who} has no axes")
    if isinstance(n, int) and n < 0:
        raise ShapeError(f"n={n}, wanted at least 0")
    if n == 0:
        return tensor.of(tensor.shape)  # as it was given: nothing is put before or after it
    parts = [t for t in (prepend, tensor, append) if t is not None]
    whole = cat([p if p is tensor else need(p) for p in parts], dim) if len(parts) > 1 else tensor
    place = axis_index(whole.shape, literal(dim), who)
    size = entry_size(whole.shape[place])
    left = max(size - literal(n), 0) if isinstance(size, int) else size - literal(n)
    return tensor.of(replaced(whole.shape, place, left), mask_of(whole))


@rule("torch.trapezoid", "torch.trapz", sample="F:a b | F:a b, dim=dim | F:a b, F:b")
def trapezoid(y: Any, x: Any = None, *, dx: Any = None, dim: Any = -1) -> Tensor:
    tensor = need(y)
    mask = dtypes.to_float(result_type(y, x) if isinstance(x, Tensor) else mask_of(y))
    paired = isinstance(x, Tensor) and same_shape(x.shape, tensor.shape) is True
    if isinstance(x, Tensor) and x.rank != 1 and not paired:
        if x.rank is None or x.rank == 0 or tensor.rank is None:
            raise Undecided
        try:
            whole = y.of(broadcast(y.shape, x.shape), mask)
        except ShapeError:
            raise Undecided from None  # the steps of x broadcast, and they are fewer
        return trapezoid(whole, whole, dim=dim)
    try:
        place = axis_index(tensor.shape, literal(dim), name(y, "y"))
    except Undecided:
        return tensor.of((ANY_AXES,), mask)
    if not tensor.shape:
        raise Undecided
    if isinstance(x, Tensor) and not paired:
        points, size = x.sizes()[0], entry_size(tensor.shape[place])
        if same(points, size) is False and points != 1 and size != 1:
            raise ShapeError(f"{name(x, 'x')} has {points} points and axis {dim} of {name(y, 'y')} is {size}")
        if same(points, size) is not True:
            raise Undecided
    return tensor.of(without(tensor.shape, place), mask)


@rule("torch.cov", "torch.Tensor.cov", sample="f:a b | f:n")
def cov(input: Any, *, correction: Any = 1, fweights: Any = None, aweights: Any = None) -> Tensor:
    tensor = need(input)
    if tensor.rank is None:
        raise Undecided
    if len(tensor.shape) > 2:
        raise ShapeError(
            f"{name(input, 'input')} has shape {show(tensor.shape)}, wanted (variables, observations)"
        )
    mask = dtypes.to_float(want(tensor, NOT_BOOL, "input", "numbers"))
    for weights, parameter, kinds in ((fweights, "fweights", INTEGER), (aweights, "aweights", FLOATING)):
        _check_weights(tensor, weights, parameter, kinds)
    if aweights is UNKNOWN:
        mask = ANY
    elif aweights is not None:
        mask = result_type(tensor.of((1,), mask), need(aweights))  # they are of observations, hence not 0-dim
    if len(tensor.shape) == 2 and same(tensor.sizes()[0], 1) is None and not generic(tensor.sizes()[0]):
        return tensor.of((ANY_AXES,), mask)
    square = len(tensor.shape) == 2 and tensor.shape[0] != 1
    return tensor.of((tensor.shape[0], tensor.shape[0]) if square else (), mask)


def _check_weights(tensor: Tensor, weights: Any, parameter: str, kinds: int) -> None:
    """One weight for each observation, how often it was made or how much it counts."""
    if not isinstance(weights, Tensor):
        return
    want(weights, kinds, parameter, "integers" if parameter == "fweights" else "a floating dtype")
    count = tensor.shape[-1] if tensor.shape else 1
    if weights.rank is not None and same(numel(weights.shape), entry_size(count)) is False:
        raise ShapeError(
            f"{name(weights, parameter)} has shape {show(weights.shape)}, wanted ({count},), one for each "
            "observation"
        )


@rule("torch.corrcoef", "torch.Tensor.corrcoef", sample="f:a b | f:n")
def corrcoef(input: Any) -> Tensor:
    return cov(input)


@rule(*both("cross"), sample="f:... 3, f:... 3 | f:3 a, f:3 a, 0 | f:a 3, f:a 3, dim=1")
def cross(input: Any, other: Any, dim: Any = None, *, out: Any = None) -> Tensor:
    shape = broadcast_operands((need(input), "input"), (need(other), "other"))
    mask = mask_of(input)
    if input.rank is not None and other.rank is not None and len(input.shape) != len(other.shape):
        raise ShapeError(
            f"{name(input, 'input')} has shape {show(input.shape)} and {name(other, 'other')} "
            f"{show(other.shape)}: they must have the same number of axes"
        )
    common_dtype((input, "input"), (other, "other"), what="cross")
    if pack_index(shape) is not None:
        return input.of(shape, mask)
    if dim is None:
        if 1 in shape or 1 in input.shape or 1 in other.shape:
            raise Undecided  # which axis is meant depends on the first operand alone
        if (
            input.rank is not None
            and 3 not in input.shape
            and all(same(entry_size(e), 3) is False for e in input.shape)
        ):
            raise ShapeError(f"no axis of {name(input, 'input')}, {show(input.shape)}, is 3")
        return input.of(shape, mask)
    return _cross_along(input, other, dim, shape, mask)


def _cross_along(input: Tensor, other: Tensor, dim: Any, shape: Any, mask: int) -> Tensor:
    for tensor, parameter in ((input, "input"), (other, "other")):
        if tensor.rank is not None:
            place = axis_index(tensor.shape, literal(dim), name(tensor, parameter))
            size = entry_size(tensor.shape[place]) if tensor.shape else 1
            if same(size, 3) is False:
                raise ShapeError(
                    f"axis {dim} of {name(tensor, parameter)} is {size}, a cross product needs 3"
                )
    return input.of(shape, mask)


@rule("torch.linalg.cross", sample="f:... 3, f:... 3 | f:3 a, f:3 a, dim=0")
def linalg_cross(input: Any, other: Any, *, dim: Any = -1, out: Any = None) -> Tensor:
    return cross(input, other, dim)


@rule(*both("renorm"), sample="f:a b, 2, dim, 1.0")
def renorm(input: Any, p: Any, dim: Any, maxnorm: Any, *, out: Any = None) -> Tensor:
    tensor = need(input)
    if tensor.rank is not None and len(tensor.shape) < 2:
        raise ShapeError(f"{name(input, 'input')} has shape {show(tensor.shape)}, wanted at least two axes")
    check_axis(tensor, dim, name(input, "input"))
    return tensor.of(tensor.shape, want(tensor, FLOATING | COMPLEX, "input", "a floating dtype"))


@rule("torch.cdist", sample="F:... p m, F:... r m | F:p m, F:r m, 1.0")
def cdist(x1: Any, x2: Any, p: Any = 2.0, compute_mode: Any = None) -> Tensor:
    """``(..., p, m), (..., r, m) -> (..., p, r)``."""

    for tensor, parameter in ((x1, "x1"), (x2, "x2")):
        want(need(tensor), FLOATING, parameter, "a floating dtype")
        if tensor.rank is not None and len(tensor.shape) < 2:
            raise ShapeError(
                f"{name(tensor, parameter)} has shape {show(tensor.shape)}, wanted (..., points, features)"
            )
    left, right = x1.shape[-1:], x2.shape[-1:]
    if not isinstance(left[0], Pack) and not isinstance(right[0], Pack) and same(left[0], right[0]) is False:
        raise ShapeError(f"the last axis of {name(x1, 'x1')} is {left[0]} and of {name(x2, 'x2')} {right[0]}")
    if not mask_of(x1) & mask_of(x2):
        raise Undecided
    return x1.of(matmul_shape(x1, mT(x2), name(x1, "x1"), name(x2, "x2")), result_type(x1, x2))


@rule(*methods("unfold"), sample="f:a B, 1, 3, 2 | f:A b, 0, 2, 1 | f:a B, -1, size:k, 1 | f:, 0, 1, 1")
def unfold(self: Any, dimension: Any, size: Any, step: Any) -> Tensor:
    """Windows along an axis, in a new last axis."""
    tensor, who = need(self), name(self, "self")
    if isinstance(size, int) and size < 0:
        raise ShapeError(f"size={size}, wanted at least 0")
    if isinstance(step, int) and step < 1:
        raise ShapeError(f"step={step}, wanted at least 1")
    try:
        place = axis_index(tensor.shape, literal(dimension), who)
    except Undecided:
        return tensor.of((ANY_AXES, size if is_size(size) else unknown()))
    whole = entry_size(tensor.shape[place]) if tensor.shape else 1
    if isinstance(whole, int) and isinstance(size, int) and size > whole:
        raise ShapeError(f"a window of {size}, but axis {dimension} of {who} is {whole}")
    if not tensor.shape:
        return tensor.of((size if is_size(size) else unknown(),))
    count = (whole - size) // step + 1 if is_size(size) and is_size(step) else unknown()
    return tensor.of((*replaced(tensor.shape, place, count), size if is_size(size) else unknown()))
