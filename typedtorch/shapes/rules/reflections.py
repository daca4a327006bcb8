"""Factors as products of reflections, symmetric indefinite factors, and solving with more than two axes."""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

from typing import Any

from typedtorch.shapes.bounds import size_min
from typedtorch.shapes.dtypes import BIT
from typedtorch.shapes.equality import same
from typedtorch.shapes.rule import Record, name, rule
from typedtorch.shapes.rules.factorisations import lu_factor_ex
from typedtorch.shapes.rules.forms import expect_shape, flag, literal, need
from typedtorch.shapes.rules.matrices import COMPUTED, matrix, right_hand
from typedtorch.shapes.rules.permuting import movedim
from typedtorch.shapes.rules.promotion import common_dtype, want
from typedtorch.shapes.size import Size, product
from typedtorch.shapes.tensor import Shape, ShapeError, Tensor, Undecided, numel, same_shape, show, sizes


@rule("torch.geqrf", "torch.Tensor.geqrf", sample="D:m n | D:... m n")
def geqrf(input: Any, *, out: Any = None) -> Record:
    batch, rows, columns, mask = matrix(input, "input")
    return Record(a=need(input).of(input.shape, mask), tau=input.of((*batch, size_min(rows, columns)), mask))


def _reflectors(A: Any, tau: Any, first: str) -> tuple[Shape, int]:
    """The leading axes of reflectors, below a diagonal, that have a scale each; their dtype.

    Raises:
        ShapeError: there are more scales than columns, other leading axes, or another dtype.
    """
    batch, rows, columns, _ = matrix(A, first)
    mask = common_dtype((A, first), (need(tau), "tau"), what="a product of reflections")
    if A.rank is None or tau.rank is None:
        raise Undecided
    if len(tau.shape) != len(A.shape) - 1 or same_shape(tau.shape[:-1], batch) is False:
        raise ShapeError(
            f"{name(tau, 'tau')} has shape {show(tau.shape)} and {name(A, first)} {show(A.shape)}: "
            "there must be one number for each column"
        )
    (count,) = sizes(tau.shape[-1:])
    _at_most(count, columns, f"{name(tau, 'tau')} has {count} numbers for {columns} columns")
    _at_most(count, rows, f"{name(tau, 'tau')} has {count} numbers for {rows} rows")
    return batch, mask


def _at_most(size: Size, most: Size, otherwise: str) -> None:
    if isinstance(size, int) and isinstance(most, int):
        if size > most:
            raise ShapeError(otherwise)
    elif same(size, most) is not True:
        raise Undecided


@rule(
    "torch.linalg.householder_product",
    "torch.orgqr",
    "torch.Tensor.orgqr",
    sample="D:4 3, D:3 | D:... 4 3, D:... 2",
)
def householder_product(A: Any, tau: Any, *, out: Any = None) -> Tensor:
    """``(..., m, n), (..., k) -> (..., m, n)``."""
    _, mask = _reflectors(A, tau, "A")
    _, rows, columns, _ = matrix(A)
    _at_most(columns, rows, f"{name(A, 'A')} has {columns} columns and {rows} rows")
    return A.of(A.shape, mask)


@rule("torch.ormqr", "torch.Tensor.ormqr", sample="D:4 3, D:3, D:4 k | D:... 4 3, D:... 3, D:... k 4, False")
def ormqr(
    input: Any, tau: Any, other: Any, left: Any = True, transpose: Any = False, *, out: Any = None
) -> Tensor:
    """Reflections times a matrix, of whose shape the result is."""
    batch, mask = _reflectors(input, tau, "input")
    common_dtype((input, "input"), (need(other), "other"), what="ormqr")
    lead, rows, columns, _ = matrix(other, "other")
    side, wanted = rows if flag(left) else columns, sizes(input.shape[-2:-1])[0]
    if same(side, wanted) is False or same_shape(lead, batch) is False:
        who = name(input, "input")
        raise ShapeError(
            f"{name(other, 'other')} has shape {show(other.shape)} and {who} {show(input.shape)}"
        )
    return other.of(other.shape, mask)


@rule("torch.lu", "torch.Tensor.lu", sample="D:... n n | D:m n | D:m n, get_infos=True")
def lu(A: Any, pivot: Any = True, get_infos: Any = False, out: Any = None) -> tuple[Tensor, ...]:
    if pivot is not True:
        raise Undecided
    made = lu_factor_ex(A)
    return tuple(made) if flag(get_infos) else tuple(made)[:2]


@rule("torch.linalg.ldl_factor", sample="D:... n n")
def ldl_factor(A: Any, *, hermitian: Any = False, out: Any = None) -> Record:
    batch, rows, _, mask = matrix(A, square=True)
    return Record(LD=need(A).of(A.shape, mask), pivots=A.of((*batch, rows), BIT["int32"]))


@rule("torch.linalg.ldl_factor_ex", sample="D:... n n")
def ldl_factor_ex(A: Any, *, hermitian: Any = False, check_errors: Any = False, out: Any = None) -> Record:
    factors, pivots = ldl_factor(A)
    return Record(LD=factors, pivots=pivots, info=A.of(matrix(A)[0], BIT["int32"]))


@rule("torch.linalg.ldl_solve", sample="D:... n n, J:... n, D:... n k")
def ldl_solve(LD: Any, pivots: Any, B: Any, *, hermitian: Any = False, out: Any = None) -> Tensor:
    matrix(LD, "LD", square=True)
    if need(LD).rank is not None:
        expect_shape(pivots, "pivots", LD.shape[:-1])
    joint, unknowns, sides, mask = right_hand(LD, B, "LD", "B")
    return B.of((*joint, unknowns, sides), mask)


def _square(first: Shape, second: Shape, who: str) -> None:
    if same(numel(first), numel(second)) is False:
        raise ShapeError(
            f"{who} goes from {show(second)}, {numel(second)} elements, to {show(first)}, {numel(first)}"
        )


@rule("torch.linalg.tensorinv", sample="D:2 3 6 | D:2 3 6, ind=2 | D:6 2 3, 1")
def tensorinv(A: Any, ind: Any = 2, *, out: Any = None) -> Tensor:
    """The axes from ``ind`` on come first."""
    mask = want(need(A), COMPUTED, "A", "float32, float64, complex64 or complex128")
    shape, place = A.sizes(), literal(ind)
    if place < 1:
        raise ShapeError(f"ind={place}, wanted at least 1")
    _square(shape[:place], shape[place:], name(A, "A"))
    return A.of((*shape[place:], *shape[:place]), mask)


@rule("torch.linalg.tensorsolve", sample="D:2 3 6, D:2 3 | D:2 3 3 2, D:2 3 | D:6 2 3, D:6")
def tensorsolve(A: Any, B: Any, dims: Any = None, *, out: Any = None) -> Tensor:
    """``A X = B`` over all the axes of B, the first ones of A, those of ``dims`` last."""
    want(need(A), COMPUTED, "A", "float32, float64, complex64 or complex128")
    mask = common_dtype((A, "A"), (need(B), "B"), what="a solver")
    moved = A if dims is None else movedim(A, dims, tuple(range(-len(dims), 0)))
    shape, count = moved.sizes(), len(B.sizes())
    _square(shape[:count], shape[count:], name(A, "A"))
    if same(product(B.sizes()), numel(shape[:count])) is False:
        raise ShapeError(f"{name(B, 'B')} has shape {show(B.shape)} and {name(A, 'A')} {show(shape)}")
    return B.of(shape[count:], mask)
