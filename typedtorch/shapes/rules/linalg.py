"""torch.linalg and its older names: decompositions, solvers, determinants."""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.bounds import size_min
from typedtorch.shapes.dtypes import BIT, COMPLEX, FLOATING
from typedtorch.shapes.equality import same
from typedtorch.shapes.rule import Record, name, rule
from typedtorch.shapes.rules.axis_patterns import tail
from typedtorch.shapes.rules.forms import flag, need
from typedtorch.shapes.rules.matrices import COMPUTED, matrix, right_hand, turned
from typedtorch.shapes.rules.promotion import common_dtype, mask_of, to_complex, to_real, want
from typedtorch.shapes.size import unknown
from typedtorch.shapes.tensor import UNKNOWN, ShapeError, Tensor, Undecided, broadcast, show


def _names(*functions: str) -> tuple[str, ...]:
    return tuple(f"torch.linalg.{f}" for f in functions)


_MATRIX, _SQUARE = "D:... m n", "D:... n n"


@rule(*_names("det"), "torch.det", "torch.Tensor.det", sample=_SQUARE)
def det(A: Any) -> Tensor:
    batch, _, _, mask = matrix(A, square=True)
    return need(A).of(batch, mask)


@rule("torch.logdet", "torch.Tensor.logdet", sample=_SQUARE)
def logdet(input: Any) -> Tensor:
    return det(input)


@rule(*_names("slogdet"), "torch.slogdet", "torch.Tensor.slogdet", sample=_SQUARE)
def slogdet(A: Any) -> Record:
    batch, _, _, mask = matrix(A, square=True)
    return Record(sign=need(A).of(batch, mask), logabsdet=A.of(batch, to_real(mask)))


@rule(*_names("inv"), "torch.inverse", "torch.Tensor.inverse", sample=_SQUARE)
def inv(A: Any, *, out: Any = None) -> Tensor:
    _, _, _, mask = matrix(A, square=True)
    return need(A).of(A.shape, mask)


@rule(*_names("matrix_exp"), "torch.matrix_exp", "torch.Tensor.matrix_exp", sample=_SQUARE)
def matrix_exp(A: Any) -> Tensor:
    tensor = need(A)
    if tensor.rank is not None and len(tensor.shape) < 2:
        raise ShapeError(f"{name(A, 'A')} has shape {show(tensor.shape)}, wanted a matrix")
    rows, columns = tail(tensor.shape, 2)
    if rows is not None and columns is not None and same(rows, columns) is False:
        raise ShapeError(f"{name(A, 'A')} has shape {show(tensor.shape)}, wanted a square matrix")
    return tensor.of(tensor.shape, want(tensor, FLOATING | COMPLEX, "A", "a floating dtype"))


@rule(
    *_names("matrix_power"),
    "torch.matrix_power",
    "torch.Tensor.matrix_power",
    sample="D:... n n, 2 | D:n n, -1 | D:n n, 0",
)
def matrix_power(A: Any, n: Any, *, out: Any = None) -> Tensor:
    tensor = need(A)
    rows, columns = tail(tensor.shape, 2)
    if (tensor.rank is not None and len(tensor.shape) < 2) or (
        rows is not None and columns is not None and same(rows, columns) is False
    ):
        raise ShapeError(f"{name(A, 'A')} has shape {show(tensor.shape)}, wanted a square matrix")
    if not isinstance(n, int):
        return tensor.of(tensor.shape, mask_of(tensor))
    if n >= 0:
        return tensor.of(tensor.shape, mask_of(tensor))
    return inv(A)


@rule(*_names("pinv"), "torch.pinverse", "torch.Tensor.pinverse", sample=_MATRIX)
def pinv(A: Any, *settings: Any, **more: Any) -> Tensor:
    batch, rows, columns, mask = matrix(A)
    _tolerances(settings, more)
    return need(A).of((*batch, columns, rows), mask)


def _tolerances(settings: tuple[Any, ...], more: dict[str, Any]) -> None:
    """A number, or one number for each matrix: another tensor would add axes of its own.

    Raises:
        Undecided: one of them is neither.
    """
    for value in (*settings, *more.values()):
        if value is UNKNOWN or (isinstance(value, Tensor) and value.shape != ()):
            raise Undecided


@rule(*_names("cholesky"), "torch.cholesky", "torch.Tensor.cholesky", sample=_SQUARE)
def cholesky(A: Any, upper: Any = False, *, out: Any = None) -> Tensor:
    return inv(A)


@rule(*_names("cholesky_ex"), sample=_SQUARE)
def cholesky_ex(A: Any, *, upper: Any = False, check_errors: Any = False, out: Any = None) -> Record:
    batch, _, _, mask = matrix(A, square=True)
    return Record(L=need(A).of(A.shape, mask), info=A.of(batch, BIT["int32"]))


@rule(*_names("inv_ex"), sample=_SQUARE)
def inv_ex(A: Any, *, check_errors: Any = False, out: Any = None) -> Record:
    batch, _, _, mask = matrix(A, square=True)
    return Record(inverse=need(A).of(A.shape, mask), info=A.of(batch, BIT["int32"]))


@rule(*_names("qr"), sample=_MATRIX + " | D:m n, 'complete' | D:... m n, mode='r'")
def qr(A: Any, mode: Any = "reduced", *, out: Any = None) -> Record:
    """``Q (..., m, k), R (..., k, n)``; k is m for the complete ones, and Q empty where R alone is wanted."""
    batch, rows, columns, mask = matrix(A)
    if not isinstance(mode, str):
        raise Undecided
    if mode not in ("reduced", "complete", "r"):
        raise ShapeError(f"mode={mode!r}, wanted 'reduced', 'complete' or 'r'")
    inner = rows if mode == "complete" else size_min(rows, columns)
    if mode == "r":
        return Record(Q=need(A).of((0,), mask), R=A.of((*batch, inner, columns), mask))
    return Record(Q=need(A).of((*batch, rows, inner), mask), R=A.of((*batch, inner, columns), mask))


@rule("torch.qr", "torch.Tensor.qr", sample=_MATRIX + " | D:m n, False | D:m n, some=True")
def old_qr(input: Any, some: Any = True, *, out: Any = None) -> Record:
    made: Record = qr(input, "reduced" if flag(some) else "complete")
    return made


@rule(*_names("svd"), sample=_MATRIX + " | D:m n, False | D:... m n, full_matrices=False")
def svd(A: Any, full_matrices: Any = True, *, driver: Any = None, out: Any = None) -> Record:
    """``U (..., m, k), S (..., k), Vh (..., k, n)``; k is m and n for the full matrices."""
    batch, rows, columns, mask = matrix(A)
    inner = size_min(rows, columns)
    full = flag(full_matrices)
    return Record(
        U=need(A).of((*batch, rows, rows if full else inner), mask),
        S=A.of((*batch, inner), to_real(mask)),
        Vh=A.of((*batch, columns if full else inner, columns), mask),
    )


@rule("torch.svd", "torch.Tensor.svd", sample=_MATRIX)
def old_svd(input: Any, some: Any = True, compute_uv: Any = True, *, out: Any = None) -> Record:
    if compute_uv is not True:
        raise Undecided
    u, s, vh = svd(input, full_matrices=not flag(some))
    return Record(U=u, S=s, V=vh.of((*vh.shape[:-2], vh.shape[-1], vh.shape[-2])))


@rule("torch.pca_lowrank", sample="F:M N | F:M N, 2 | F:M N, q=2, center=False")
def pca_lowrank(A: Any, q: Any = None, center: Any = True, niter: Any = 2) -> Any:
    """``U (..., m, q), S (..., q), V (..., n, q)``; q is the least of m, n and 6."""
    batch, rows, columns, mask = matrix(A)
    rank = size_min(size_min(rows, columns), 6) if q is None else q
    shapes = ((*batch, rows, rank), (*batch, rank), (*batch, columns, rank))
    return tuple(need(A).of(shape, mask) for shape in shapes)


@rule(*_names("svdvals"), sample=_MATRIX)
def svdvals(A: Any, *, driver: Any = None, out: Any = None) -> Tensor:
    batch, rows, columns, mask = matrix(A)
    return need(A).of((*batch, size_min(rows, columns)), to_real(mask))


@rule(*_names("eig"), sample=_SQUARE)
def eig(A: Any, *, out: Any = None) -> Record:
    batch, rows, _, mask = matrix(A, square=True)
    return Record(
        eigenvalues=need(A).of((*batch, rows), to_complex(mask)), eigenvectors=A.of(A.shape, to_complex(mask))
    )


@rule(*_names("eigvals"), sample=_SQUARE)
def eigvals(A: Any, *, out: Any = None) -> Tensor:
    values: Tensor = eig(A)[0]
    return values


@rule(*_names("eigh"), sample=_SQUARE)
def eigh(A: Any, UPLO: Any = "L", *, out: Any = None) -> Record:
    batch, rows, _, mask = matrix(A, square=True)
    return Record(eigenvalues=need(A).of((*batch, rows), to_real(mask)), eigenvectors=A.of(A.shape, mask))


@rule(*_names("eigvalsh"), sample=_SQUARE)
def eigvalsh(A: Any, UPLO: Any = "L", *, out: Any = None) -> Tensor:
    values: Tensor = eigh(A)[0]
    return values


@rule(*_names("lu_factor"), sample=_SQUARE + " | " + _MATRIX)
def lu_factor(A: Any, *, pivot: Any = True, out: Any = None) -> Record:
    batch, rows, columns, mask = matrix(A)
    return Record(LU=need(A).of(A.shape, mask), pivots=A.of((*batch, size_min(rows, columns)), BIT["int32"]))


@rule(*_names("lu"), sample=_SQUARE + " | " + _MATRIX)
def lu(A: Any, *, pivot: Any = True, out: Any = None) -> Record:
    batch, rows, columns, mask = matrix(A)
    inner = size_min(rows, columns)
    if pivot is not True:
        raise Undecided
    return Record(
        P=need(A).of((*batch, rows, rows), mask),
        L=A.of((*batch, rows, inner), mask),
        U=A.of((*batch, inner, columns), mask),
    )


@rule(*_names("cond"), sample=_SQUARE + " | D:m n")
def cond(A: Any, p: Any = None, *, out: Any = None) -> Tensor:
    batch, _, _, mask = matrix(A)
    return need(A).of(batch, to_real(mask))


@rule(*_names("matrix_rank"), sample=_MATRIX)
def matrix_rank(A: Any, *settings: Any, **more: Any) -> Tensor:
    batch, _, _, _ = matrix(A, square=more.get("hermitian") is True)
    tolerances = [v for v in (*settings, *more.values()) if isinstance(v, Tensor)]
    if UNKNOWN in (*settings, *more.values()):
        raise Undecided
    try:
        return need(A).of(broadcast(batch, *(t.shape for t in tolerances)), dtypes.INT64)
    except ShapeError:
        raise Undecided from None  # of no matrices no tolerance is looked at


# --- solving -----------------------------------------------------------------------------------


@rule(*_names("solve"), sample="D:... n n, D:... n k | D:n n, D:n | D:b n n, D:b k n, left=False")
def solve(A: Any, B: Any, *, left: Any = True, out: Any = None) -> Tensor:
    """``A X = B`` for a matrix, or a vector, B."""
    batch, rows, _, mask = matrix(A, square=True)
    common_dtype((need(A), "A"), (need(B), "B"), what="solve")
    if need(B).rank is None or A.rank is None or (not flag(left) and len(B.shape) < len(A.shape)):
        raise Undecided
    if not flag(left):  # X A = B
        joint, unknowns, sides, mask = right_hand(A, turned(B, "B"), "A", "B")
        return B.of((*joint, sides, unknowns), mask)
    vector = len(B.shape) == 1 or (len(B.shape) == len(A.shape) - 1 and B.sizes() == A.sizes()[:-1])
    if vector:
        if same(B.sizes()[-1], rows) is False:
            raise ShapeError(f"{name(A, 'A')} has {rows} rows and {name(B, 'B')} {B.shape[-1]}")
        if len(B.shape) == 1 and len(A.shape) > 2:
            return B.of((*batch, rows), mask)
        return B.of(B.shape, mask)
    if len(B.shape) == len(A.shape) - 1 and any(
        same(x, y) is not False for x, y in zip(B.sizes(), A.sizes()[:-1], strict=True)
    ):
        raise Undecided
    joint, unknowns, sides, mask = right_hand(A, B, "A", "B")
    return B.of((*joint, unknowns, sides), mask)


@rule("torch.linalg.lstsq", sample="skip")
def lstsq(A: Any, B: Any, rcond: Any = None, *, driver: Any = None) -> Record:
    if need(B).rank is None or need(A).rank is None or B.rank < A.rank:
        raise Undecided  # a vector is allowed on the right where the ranks say it is one
    joint, unknowns, sides, mask = right_hand(A, B, "A", "B")
    # the residuals of some drivers and ranks are none at all; one axis they have always
    return Record(
        solution=B.of((*joint, unknowns, sides), mask),
        residuals=B.of((*joint, unknown()), to_real(mask)) if len(joint) == 0 else UNKNOWN,
        rank=UNKNOWN,
        singular_values=UNKNOWN,
    )


@rule(*_names("solve_triangular"), sample="D:... n n, D:... n k, upper=bool")
def solve_triangular(
    A: Any, B: Any, *, upper: Any, left: Any = True, unitriangular: Any = False, out: Any = None
) -> Tensor:
    matrix(A, square=True)
    if not mask_of(need(B)) & COMPUTED & mask_of(A):
        raise Undecided
    if flag(left):
        joint, unknowns, sides, mask = right_hand(A, B, "A", "B")
        return B.of((*joint, unknowns, sides), mask)
    joint, unknowns, sides, mask = right_hand(A, turned(B, "B"), "A", "B")  # X A = B
    return B.of((*joint, sides, unknowns), mask)


@rule("torch.cholesky_solve", "torch.Tensor.cholesky_solve", sample="D:... n k, D:... n n")
def cholesky_solve(B: Any, L: Any, upper: Any = False, *, out: Any = None) -> Tensor:
    matrix(L, "L", square=True)
    joint, unknowns, sides, mask = right_hand(L, B, "L", "B")
    return B.of((*joint, unknowns, sides), mask)


@rule("torch.triangular_solve", "torch.Tensor.triangular_solve", sample="D:... n k, D:... n n")
def triangular_solve(
    b: Any, A: Any, upper: Any = True, transpose: Any = False, unitriangular: Any = False
) -> Record:
    matrix(A, square=True)
    joint, unknowns, sides, mask = right_hand(A, b, "A", "b")
    return Record(
        solution=b.of((*joint, unknowns, sides), mask),
        cloned_coefficient=A.of((*joint, unknowns, unknowns), mask),
    )


@rule("torch.cholesky_inverse", "torch.Tensor.cholesky_inverse", sample=_SQUARE)
def cholesky_inverse(L: Any, upper: Any = False, *, out: Any = None) -> Tensor:
    return inv(L)
