"""Sparse gradients: of a table with ``sparse=True`` only the rows that were looked up have one.

How many different rows that are depends on the data; all of them are taken to be different, which is the
most there can be.  A sparse tensor is recorded as its values; the numbers of the rows come with it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from jaxtyping import Shaped
from torch import Tensor

from typedtorch.accounting import fake

Correction = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]


def is_sparse(tensor: Shaped[Tensor, "*shape"]) -> bool:
    return tensor.layout is torch.sparse_coo


def dense_parts(tensor: Shaped[Tensor, "*shape"]) -> tuple[Tensor, Tensor]:
    """The values and the numbers of their rows, as they lie in memory."""
    return tensor._values(), tensor._indices()


def _with(
    tensor: Shaped[Tensor, "*shape"],
    indices: Shaped[Tensor, "axes rows"],
    values: Shaped[Tensor, "rows *rest"],
) -> Shaped[Tensor, "*shape"]:
    """A tensor of the same shape that holds other rows."""
    return torch.sparse_coo_tensor(indices, values, tensor.shape, check_invariants=False, is_coalesced=False)


def _clone(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Autograd copies a sparse gradient only where a mode looks on; else the parameter takes it as it is."""
    if not is_sparse(args[0]):
        return func(*args, **kwargs)
    values, indices = dense_parts(args[0])
    taken = type(fake.current_node()).__name__ == "AccumulateGrad"
    if taken and values.is_contiguous() and indices.is_contiguous():
        return _with(args[0], indices, values)
    return _with(args[0], indices.clone(), values.clone())


def _coalesce(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    values, indices = dense_parts(args[0])
    return _with(args[0], torch.empty_like(indices), torch.empty_like(values))


def _mask(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The rows of a dense tensor that a sparse one has."""
    values, indices = dense_parts(args[1])
    return _with(args[1], torch.empty_like(indices), torch.empty_like(values))


def _add(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The rows of both, one after the other."""
    if not (is_sparse(args[0]) and isinstance(args[1], Tensor) and is_sparse(args[1])):
        return func(*args, **kwargs)
    (values, indices), (more, others) = dense_parts(args[0]), dense_parts(args[1])
    return _with(args[0], torch.cat((indices, others), 1), torch.cat((values, more)))


def _add_to(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A dense tensor stays as large as it is; torch's kernel for one row would write to it."""
    if is_sparse(args[0]) or not (isinstance(args[1], Tensor) and is_sparse(args[1])):
        return func(*args, **kwargs)
    return args[0]


CORRECTIONS: dict[str, Correction] = {
    "aten.add_.Tensor": _add_to,
    "aten.clone.default": _clone,
    "aten._coalesce.default": _coalesce,
    "aten.sparse_mask.default": _mask,
    "aten.add.Tensor": _add,
}
