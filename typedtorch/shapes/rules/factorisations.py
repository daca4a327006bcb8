"""Solving with an LU decomposition, with what torch says of it beside; bases of low rank."""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.dtypes import BIT
from typedtorch.shapes.rule import Record, rule
from typedtorch.shapes.rules.forms import expect_shape, flag, is_size, need
from typedtorch.shapes.rules.linalg import lu_factor, solve
from typedtorch.shapes.rules.matrices import matrix, right_hand, turned
from typedtorch.shapes.rules.promotion import want
from typedtorch.shapes.size import Size, is_unknown, unknown
from typedtorch.shapes.tensor import Tensor, Undecided


@rule("torch.linalg.lu_factor_ex", sample="D:... n n | D:... m n")
def lu_factor_ex(A: Any, *, pivot: Any = True, check_errors: Any = False, out: Any = None) -> Record:
    factors, pivots = lu_factor(A)
    return Record(LU=factors, pivots=pivots, info=A.of(matrix(A)[0], BIT["int32"]))


@rule("torch.linalg.solve_ex", sample="D:... n n, D:... n k | D:n n, D:n")
def solve_ex(A: Any, B: Any, *, left: Any = True, check_errors: Any = False, out: Any = None) -> Record:
    return Record(result=solve(A, B, left=left), info=A.of(matrix(A)[0], BIT["int32"]))


@rule("torch.linalg.lu_solve", sample="skip")
def lu_solve(
    LU: Any, pivots: Any, B: Any, *, left: Any = True, adjoint: Any = False, out: Any = None
) -> Tensor:
    """``A X = B``, or with ``left=False`` ``X A = B``, of which the factors of A are known."""
    matrix(LU, "LU", square=True)
    want(need(pivots), BIT["int32"], "pivots", "int32, as lu_factor gives them")
    if LU.rank is not None:
        expect_shape(pivots, "pivots", LU.shape[:-1])
    matrix(B, "B")
    if flag(left):
        joint, unknowns, sides, mask = right_hand(LU, B, "LU", "B")
        return B.of((*joint, unknowns, sides), mask)
    joint, unknowns, sides, mask = right_hand(LU, turned(B, "B"), "LU", "B")
    return B.of((*joint, sides, unknowns), mask)


@rule("torch.lu_solve", "torch.Tensor.lu_solve", sample="skip")
def old_lu_solve(b: Any, LU_data: Any, LU_pivots: Any, *, out: Any = None) -> Tensor:
    return lu_solve(LU_data, LU_pivots, b)


@rule("torch.svd_lowrank", sample="F:M N | F:M N, 2 | F:b M N, q=3")
def svd_lowrank(A: Any, q: Any = 6, niter: Any = 2, M: Any = None) -> tuple[Tensor, ...]:
    """``U (..., m, q), S (..., q), V (..., n, q)``."""
    batch, rows, columns, mask = matrix(A)
    if M is not None or not mask & ~dtypes.COMPLEX:
        raise Undecided
    count: Size = 6 if q is None else q if is_size(q) else unknown()
    known = [n for n in (count, rows, columns) if isinstance(n, int)]
    if is_unknown(rows) or is_unknown(columns):
        count = unknown()
    elif isinstance(count, int):
        count = min(known)  # a named axis is taken to be large enough
    shapes = ((*batch, rows, count), (*batch, count), (*batch, columns, count))
    return tuple(A.of(shape, mask) for shape in shapes)
