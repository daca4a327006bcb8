"""Sparse tensors: how they are made, what they hold, and the functions of ``torch.sparse``.

A sparse tensor is known by the shape that it stands for.
"""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

from typing import Any

from typedtorch.shapes.dtypes import INT64
from typedtorch.shapes.equality import same
from typedtorch.shapes.rule import name, rule
from typedtorch.shapes.rules.forms import methods, need, under
from typedtorch.shapes.rules.linear import addmm, matmul
from typedtorch.shapes.rules.promotion import dtype_of, mask_of
from typedtorch.shapes.rules.reduction import softmax, sum
from typedtorch.shapes.rules.written import called
from typedtorch.shapes.size import unknown
from typedtorch.shapes.tensor import (
    ANY_AXES,
    Entry,
    Shape,
    ShapeError,
    Tensor,
    Undecided,
    entry_size,
    pack_index,
    shape_from,
    show,
)


@rule("torch.sparse_coo_tensor", sample="skip")
def sparse_coo_tensor(
    indices: Any,
    values: Any = None,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Any = None,
    pin_memory: Any = False,
    requires_grad: Any = False,
    check_invariants: Any = None,
    is_coalesced: Any = None,
) -> Tensor:
    """``indices`` is ``(axes, entries)`` and ``values`` ``(entries, ...)``."""
    given = need(values)
    axes: Entry = unknown()
    if isinstance(indices, Tensor) and pack_index(indices.shape) is None:
        if len(indices.shape) != 2:
            raise ShapeError(
                f"{name(indices, 'indices')} has shape {show(indices.shape)}, wanted (axes, entries)"
            )
        axes = indices.shape[0]
        _same_entries(indices, "indices", given)
    shape = _whole(axes, given) if size is None else shape_from(tuple(size))
    if isinstance(axes, int) and pack_index((*shape, *given.shape)) is None and given.shape:
        count = axes + len(given.shape) - 1
        if len(shape) != count:
            text = f"{name(indices, 'indices')} has shape {show(indices.shape)}, for {count} axes"
            raise ShapeError(f"{text}, and size {show(shape)} has {len(shape)}")
    return Tensor(shape, dtype_of(dtype, mask_of(given)))


def _whole(axes: Entry, values: Tensor) -> Shape:
    """The shape of what is given without a size: the largest indices say how long its axes are."""
    if not isinstance(axes, int) or not values.shape or pack_index(values.shape[:1]) is not None:
        return (ANY_AXES,)
    return (*(unknown() for _ in range(axes)), *values.shape[1:])


def _same_entries(indices: Tensor, parameter: str, values: Tensor) -> None:
    """The last axis of the indices is the first of the values.

    Raises:
        ShapeError: they are of other lengths.
    """
    if not values.shape or pack_index(values.shape[:1]) is not None:
        return
    *before, count = indices.sizes()
    entries, who = entry_size(values.shape[0]), name(indices, parameter)
    if same(count, entries) is False:
        turned = before and same(before[0], entries)
        raise ShapeError(
            f"{who} has shape {show(indices.shape)}, {count} entries, and {name(values, 'values')} "
            f"has {entries}",
            hint=f"{called(who)}.T is (axes, entries)" if turned else None,
        )


@rule("torch.sparse_csr_tensor", sample="skip")
def sparse_csr_tensor(
    crow_indices: Any,
    col_indices: Any,
    values: Any,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Any = None,
    pin_memory: Any = False,
    requires_grad: Any = False,
    check_invariants: Any = None,
) -> Tensor:
    """One row after the other; ``crow_indices`` says where each begins."""
    given = need(values)
    if size is None:
        return Tensor((ANY_AXES,), dtype_of(dtype, mask_of(given)))
    shape = shape_from(tuple(size))
    if isinstance(col_indices, Tensor) and col_indices.rank == 1 and given.rank == 1:
        _same_entries(col_indices, "col_indices", given)
    if isinstance(crow_indices, Tensor) and crow_indices.rank == 1 and len(shape) == 2:
        rows = entry_size(shape[0])
        if same(crow_indices.sizes()[0], rows + 1) is False:
            who = name(crow_indices, "crow_indices")
            raise ShapeError(
                f"{who} has shape {show(crow_indices.shape)}, wanted ({rows + 1},) for {rows} rows"
            )
    return Tensor(shape, dtype_of(dtype, mask_of(given)))


@rule(*methods("to_sparse_csr", "to_sparse_csc"), sample="f:a b")
def compressed(self: Any, dense_dim: Any = None) -> Tensor:
    """Only the way of storing it is another."""
    return need(self).of(self.shape)


@rule(*methods("coalesce", "to_sparse_coo"), sample="f:a b")
def coordinates(self: Any) -> Tensor:
    """The same tensor as entries with their indices."""
    return need(self).of(self.shape)


@rule("torch.Tensor.indices", sample="skip")
def indices(self: Any) -> Tensor:
    """``(axes, entries)``; of a hybrid tensor fewer axes."""
    need(self)
    return Tensor((unknown(), unknown()), INT64)


@rule("torch.Tensor.values", sample="skip")
def values(self: Any) -> Tensor:
    """One for each entry; of a hybrid tensor with axes of their own."""
    return Tensor((unknown(), ANY_AXES), mask_of(need(self)))


def _anyhow(made: Tensor) -> Tensor:
    """The result may lie in memory in another order than that of a dense operator."""
    return made.of(made.shape)


@rule("torch.sparse.mm", sample="f:a b, f:b c")
def sparse_mm(mat1: Any, mat2: Any, reduce: Any = None) -> Tensor:
    if need(mat1).rank != 2 or need(mat2).rank != 2:
        raise Undecided
    return _anyhow(matmul(mat1, mat2))


@rule("torch.sparse.addmm", sample="skip")
def sparse_addmm(mat: Any, mat1: Any, mat2: Any, *, beta: Any = 1.0, alpha: Any = 1.0) -> Tensor:
    return _anyhow(addmm(mat, mat1, mat2))


@rule("torch.sparse.sum", sample="skip")
def sparse_sum(input: Any, dim: Any = None, dtype: Any = None) -> Tensor:
    return _anyhow(sum(input, dim, dtype=dtype))


@rule(*under("torch.sparse", "softmax log_softmax"), sample="skip")
def sparse_softmax(input: Any, dim: Any, *, dtype: Any = None) -> Tensor:
    return _anyhow(softmax(input, dim, dtype))


__all__: list[str] = []
