"""numpy.linalg, with diagonals, covariances and triangles: torch's rules, on numpy's dtypes."""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

from typing import Any

from typedtorch.shapes.bounds import size_min
from typedtorch.shapes.dtypes import FLOAT64
from typedtorch.shapes.equality import same
from typedtorch.shapes.rule import Record, name, rule
from typedtorch.shapes.rules import diagonals, linalg, linalg_products, linear
from typedtorch.shapes.rules.forms import broadcast_operands, flag, need, under
from typedtorch.shapes.rules.matrices import matrix, right_hand
from typedtorch.shapes.rules.numpy_arrays import summed
from typedtorch.shapes.rules.numpy_dtypes import (
    as_array,
    functions,
    mean_dtype,
    methods,
    result_dtype,
    to_numpy,
)
from typedtorch.shapes.rules.promotion import to_complex, to_real
from typedtorch.shapes.tensor import UNKNOWN, ShapeError, Tensor, Undecided

_MATRIX, _SQUARE = "@D:... m n", "@D:... n n"


def _linalg(words: str) -> tuple[str, ...]:
    return under("numpy.linalg", words)


def _given(a: Any, parameter: str) -> Tensor:
    """An argument of linear algebra: integers are taken for doubles."""
    array = as_array(a)
    return Tensor(array.shape, mean_dtype(array.dtype), name(a, parameter))


def _record(made: Record) -> Record:
    return Record(**dict(zip(made.names, (to_numpy(part) for part in made), strict=True)))


@rule(*_linalg("inv cholesky"), sample=_SQUARE)
def inv(a: Any, **settings: Any) -> Tensor:
    return to_numpy(linalg.inv(_given(a, "a")))


@rule(*_linalg("det"), sample=_SQUARE)
def det(a: Any) -> Tensor:
    return to_numpy(linalg.det(_given(a, "a")))


@rule(*_linalg("slogdet"), sample=_SQUARE)
def slogdet(a: Any) -> Record:
    return _record(linalg.slogdet(_given(a, "a")))


@rule(*_linalg("pinv"), sample=_MATRIX)
def pinv(a: Any, *settings: Any, **more: Any) -> Tensor:
    return to_numpy(linalg.pinv(_given(a, "a")))


@rule(*_linalg("svd"), sample=_MATRIX + " | @D:m n, False | @D:... m n, full_matrices=False")
def svd(a: Any, full_matrices: Any = True, compute_uv: Any = True, hermitian: Any = False) -> Any:
    given = _given(a, "a")
    if flag(compute_uv):
        return _record(linalg.svd(given, full_matrices))
    return to_numpy(linalg.svdvals(given))


@rule(*_linalg("qr"), sample=_MATRIX)
def qr(a: Any, mode: Any = "reduced") -> Record:
    return _record(linalg.qr(_given(a, "a"), mode))


@rule(*_linalg("eigh"), sample=_SQUARE)
def eigh(a: Any, UPLO: Any = "L") -> Record:
    return _record(linalg.eigh(_given(a, "a")))


@rule(*_linalg("eigvalsh"), sample=_SQUARE)
def eigvalsh(a: Any, UPLO: Any = "L") -> Tensor:
    return to_numpy(linalg.eigvalsh(_given(a, "a")))


@rule(*_linalg("eig"), sample=_SQUARE)
def eig(a: Any) -> Record:
    """Real where all eigenvalues are, complex otherwise: what stands in the matrix decides."""
    batch, rows, _, mask = matrix(_given(a, "a"), square=True)
    either = mask | to_complex(mask)
    return Record(
        eigenvalues=Tensor((*batch, rows), either, library="numpy"),
        eigenvectors=Tensor(as_array(a).shape, either, library="numpy"),
    )


@rule(*_linalg("eigvals"), sample=_SQUARE)
def eigvals(a: Any) -> Tensor:
    return eig(a)[0]


@rule(*_linalg("matrix_rank"), sample=_MATRIX)
def matrix_rank(A: Any, *settings: Any, **more: Any) -> Tensor:
    if as_array(A).rank in (0, 1):
        raise Undecided  # one number or vector is taken for a matrix
    return to_numpy(linalg.matrix_rank(_given(A, "A")))


@rule(*_linalg("solve"), sample="@D:... n n, @D:... n k | @D:n n, @D:n")
def solve(a: Any, b: Any) -> Tensor:
    """``a x = b``; a vector is a ``b`` of one axis alone."""
    left, right = _given(a, "a"), _given(b, "b")
    mask = result_dtype(left, right)
    square = Tensor(left.shape, mask, left.label)
    if right.rank is None or left.rank is None:
        raise Undecided
    if right.rank == 1 and left.rank == 2:
        return to_numpy(linalg.solve(square, Tensor(right.shape, mask, right.label)))
    if right.rank == 1:
        raise Undecided
    matrix(square, "a", square=True)
    joint, unknowns, sides, _ = right_hand(square, Tensor(right.shape, mask, right.label), "a", "b")
    return Tensor((*joint, unknowns, sides), mask, library="numpy")


@rule(*_linalg("lstsq"), sample="@D:m n, @D:m k | @D:m n, @D:m")
def lstsq(a: Any, b: Any, rcond: Any = None) -> tuple[Any, ...]:
    """``(x, residuals, rank, singular values)`` for one matrix, and one or several right-hand sides."""
    left, right = _given(a, "a"), _given(b, "b")
    if left.rank is None or right.rank is None:
        raise Undecided
    if left.rank != 2 or right.rank not in (1, 2):
        raise ShapeError(
            f"{left.label} has {left.rank} axes and {right.label} {right.rank}, wanted 2, and 1 or 2"
        )
    rows, columns = left.sizes()
    count, *sides = right.sizes()
    if same(rows, count) is False:
        raise ShapeError(f"{left.label} has {rows} rows and {right.label} {count}")
    mask = result_dtype(left, right)
    singular = Tensor((size_min(rows, columns),), to_real(mask), library="numpy")
    return (Tensor((columns, *sides), mask, library="numpy"), UNKNOWN, UNKNOWN, singular)


# --- beside it ---------------------------------------------------------------------------------


@rule(*functions("diag"), sample="@f:n | @f:a a | @f:n, 1 | @f:A B, -1")
def diag(v: Any, k: Any = 0) -> Tensor:
    return to_numpy(diagonals.diag(as_array(v), k))


@rule(*functions("diagonal"), *methods("diagonal"), sample="@f:a a | @f:A B, 1 | @f:a b c, 0, 1, 2")
def diagonal(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Tensor:
    return to_numpy(diagonals.diagonal(as_array(a), offset, axis1, axis2))


@rule(*functions("triu tril"), sample="@f:... a b | @f:a b, 1 | @f:a b, k=-1")
def triu(m: Any, k: Any = 0) -> Tensor:
    given = as_array(m)
    if given.rank is not None and given.rank < 2:
        raise Undecided
    return to_numpy(given)


@rule(*functions("trace"), *methods("trace"), sample="@D:a b")
def trace(a: Any, *settings: Any, **more: Any) -> Tensor:
    given = need(as_array(a))
    if settings or more or given.rank != 2:
        raise Undecided
    return Tensor((), summed(given.dtype), library="numpy")


@rule(*functions("cov"), sample="@D:A B | @D:A B, rowvar=False | @D:N | @D:A B, rowvar=True, bias=True")
def cov(
    m: Any, y: Any = None, rowvar: Any = True, bias: Any = False, ddof: Any = None, **more: Any
) -> Tensor:
    """Rows are variables, or with ``rowvar=False`` columns are."""
    given = as_array(m)
    if y is not None or given.rank not in (1, 2):
        raise Undecided
    mask = result_dtype(given, Tensor((), FLOAT64, library="numpy"))
    if given.rank == 1:
        return Tensor((), mask, library="numpy")
    variables = given.sizes()[0 if flag(rowvar) else 1]
    if isinstance(variables, int) and variables == 1:
        return Tensor((), mask, library="numpy")
    return Tensor((variables, variables), mask, library="numpy")


@rule(*functions("corrcoef"), sample="@D:A B | @D:A B, rowvar=False | @D:N")
def corrcoef(x: Any, y: Any = None, rowvar: Any = True, **more: Any) -> Tensor:
    return cov(x, y, rowvar)


@rule(*functions("kron"), sample="@f:a b, @f:c d | @f:a, @f:b c")
def kron(a: Any, b: Any) -> Tensor:
    left, right = as_array(a), as_array(b)
    return Tensor(linalg_products.kron(left, right).shape, result_dtype(left, right), library="numpy")


@rule(*functions("inner"), sample="@f:a b, @f:c b | @f:a, @f:a")
def inner(a: Any, b: Any) -> Tensor:
    left, right = as_array(a), as_array(b)
    mask = result_dtype(left, right)
    made = linear.inner(Tensor(left.shape, mask, name(a, "a")), Tensor(right.shape, mask, name(b, "b")))
    return Tensor(made.shape, mask, library="numpy")


@rule(*functions("tensordot"), sample="@f:a b c, @f:b c d | @f:a b, @f:b c, 1 | @f:a b, @f:c a, ([0], [1])")
def tensordot(a: Any, b: Any, axes: Any = 2) -> Tensor:
    left, right = as_array(a), as_array(b)
    mask = result_dtype(left, right)
    made = linear.tensordot(
        Tensor(left.shape, mask, name(a, "a")), Tensor(right.shape, mask, name(b, "b")), axes
    )
    return Tensor(made.shape, mask, library="numpy")


@rule(*functions("cross"), sample="@f:... 3, @f:... 3")
def cross(a: Any, b: Any, *settings: Any, **more: Any) -> Tensor:
    left, right = as_array(a), as_array(b)
    if settings or more or any(not t.shape or t.shape[-1] != 3 for t in (left, right)):
        raise Undecided  # vectors of two numbers are products of another shape
    shape = broadcast_operands((left, name(a, "a")), (right, name(b, "b")))
    return Tensor(shape, result_dtype(left, right), library="numpy")
