"""What the rules of linear algebra ask of matrices, alone or as the two sides of an equation."""

from __future__ import annotations

from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.dtypes import BIT
from typedtorch.shapes.equality import same
from typedtorch.shapes.rule import name
from typedtorch.shapes.rules.axis_patterns import lead, tail
from typedtorch.shapes.rules.forms import need
from typedtorch.shapes.rules.promotion import common_dtype, want
from typedtorch.shapes.size import Size, unknown
from typedtorch.shapes.tensor import Shape, ShapeError, Tensor, broadcast, show

COMPUTED = dtypes.FLOAT32 | dtypes.FLOAT64 | dtypes.COMPLEX64 | BIT["complex128"]


def matrix(A: Any, parameter: str = "A", *, square: bool = False) -> tuple[Shape, Size, Size, int]:
    """Leading axes, rows, columns and dtype of a batch of matrices.

    Raises:
        ShapeError: fewer than two axes, not square, not a dtype of linear algebra.
    """
    tensor, who = need(A), name(A, parameter)
    if tensor.rank is not None and len(tensor.shape) < 2:
        raise ShapeError(f"{who} has shape {show(tensor.shape)}, wanted a matrix (..., rows, columns)")
    mask = want(tensor, COMPUTED, parameter, "float32, float64, complex64 or complex128")
    rows, columns = (unknown() if e is None else e for e in tail(tensor.shape, 2))
    if square and _differ(rows, columns):
        raise ShapeError(f"{who} has shape {show(tensor.shape)}, wanted a square matrix")
    return lead(tensor.shape, 2), rows, columns, mask


def _differ(rows: Size, columns: Size) -> bool:
    """Whether a matrix is certainly not square; two expressions of one tensor may be tied unsaid."""
    bare = all(isinstance(s, int) or str(s).isidentifier() for s in (rows, columns))
    return bare and same(rows, columns) is False


def right_hand(A: Any, B: Any, first: str, second: str) -> tuple[Shape, Size, Size, int]:
    """Leading axes, unknowns, right-hand sides and dtype of ``A X = B`` for matrices B.

    Raises:
        ShapeError: one is no matrix, or the two do not fit.
    """
    batch, rows, columns, _ = matrix(A, first)
    other, count, sides, _ = matrix(B, second)
    mask = common_dtype((A, first), (B, second), what="a solver")
    if same(rows, count) is False:
        raise ShapeError(f"{name(A, first)} has {rows} rows and {name(B, second)} {count}")
    try:
        joint = broadcast(batch, other)
    except ShapeError:
        raise ShapeError(
            f"the batch axes {show(batch)} of {name(A, first)} and {show(other)} of {name(B, second)} "
            "do not broadcast"
        ) from None
    return joint, columns, sides, mask


def turned(B: Tensor, parameter: str) -> Tensor:
    """A batch of matrices with rows and columns swapped."""
    batch, rows, columns, mask = matrix(B, parameter)
    return Tensor((*batch, columns, rows), mask, B.label)
