"""Norms of vectors and matrices."""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.dtypes import COMPLEX, FLOATING
from typedtorch.shapes.rule import name, rule
from typedtorch.shapes.rules.forms import counted, is_size, need
from typedtorch.shapes.rules.promotion import dtype_of, to_real, want
from typedtorch.shapes.rules.reduction import reduce_axes
from typedtorch.shapes.tensor import ShapeError, Tensor


@rule(
    "torch.norm",
    "torch.Tensor.norm",
    sample="f:* | f:*, 2, dim | f:*, 1, dims, bool | f:*, 'fro', dim | f:*, dim=dim, keepdim=bool",
)
def norm(
    input: Any, p: Any = "fro", dim: Any = None, keepdim: Any = False, out: Any = None, dtype: Any = None
) -> Tensor:
    if p == "nuc" and isinstance(p, str):
        _of_matrices(input, dim)
    return _norm(input, dim, keepdim, dtype)


def _of_matrices(input: Any, dim: Any) -> None:
    """A norm of matrices is over two axes.

    Raises:
        ShapeError: another number of axes is given, or there are others.
    """
    if dim is None:
        count = need(input).rank
    else:
        count = len(counted(dim)) if isinstance(dim, (tuple, list)) else 1 if is_size(dim) else None
    if count is not None and count != 2:
        raise ShapeError(f"this norm is over two axes of {name(input, 'input')}, not {count}")


def _norm(input: Any, dim: Any, keepdim: Any, dtype: Any) -> Tensor:
    hint = f"cast first: {name(input, 'input')}.float()"
    mask = want(need(input), FLOATING | COMPLEX, "input", "a floating dtype", hint)
    computed = dtype_of(dtype, mask) & (FLOATING | COMPLEX if mask & ~COMPLEX else COMPLEX)
    if not computed:
        raise ShapeError(f"a norm of {dtypes.show(mask)} is not computed in {dtype}", "dtype")
    return reduce_axes(input, dim, keepdim, to_real(computed))


@rule(
    "torch.linalg.vector_norm", sample="f:* | f:*, 2, dim | f:*, 1, dims, bool | f:*, dim=dim, keepdim=bool"
)
def vector_norm(
    x: Any, ord: Any = 2, dim: Any = None, keepdim: Any = False, *, dtype: Any = None, out: Any = None
) -> Tensor:
    return _norm(x, dim, keepdim, dtype)


@rule(
    "torch.linalg.norm",
    sample="f:a b | f:*, None, dim | f:... a b, 2, dim=(-2, -1) | f:* | f:*, dim=dim, keepdim=bool",
)
def linalg_norm(
    A: Any, ord: Any = None, dim: Any = None, keepdim: Any = False, *, out: Any = None, dtype: Any = None
) -> Tensor:
    shape = need(A).shape
    if isinstance(dim, (tuple, list)) and len(dim) > 2:
        raise ShapeError(f"a norm is over one axis or two, got dim={dim}")
    if dim is None and ord is not None and len(shape) > 2 and need(A).rank is not None:
        raise ShapeError(
            f"{name(A, 'A')} has rank {len(shape)}: with ord and no dim it must be a vector or a matrix"
        )
    return _norm(A, dim, keepdim, dtype)


@rule("torch.linalg.matrix_norm", sample="f:... a b | f:... a b, 'fro', (-2, -1), bool")
def matrix_norm(
    A: Any, ord: Any = "fro", dim: Any = (-2, -1), keepdim: Any = False, *, dtype: Any = None, out: Any = None
) -> Tensor:
    if need(A).rank is not None and len(A.shape) < 2:
        raise ShapeError(f"{name(A, 'A')} has rank {len(A.shape)}, wanted a matrix")
    _of_matrices(A, dim)
    return _norm(A, dim, keepdim, dtype)
