"""How tensors lie in memory: torch's fused kernels walk through it and never look at strides."""

from collections.abc import Sequence
from itertools import chain
from typing import Any

import torch
from jaxtyping import Shaped
from torch import Tensor, nn


def walkable(
    params: Sequence[Tensor], grads: Sequence[Tensor], *kept: Sequence[Tensor]
) -> list[Tensor] | None:
    """The gradients in their parameters' order in memory; None where parameter and state are not in one.

    >>> column = torch.arange(6.0).reshape(3, 2).t()
    >>> found = walkable([column], [torch.ones(2, 3)], [torch.zeros_like(column)])
    >>> found[0].stride() == column.stride()
    True
    >>> walkable([column], [torch.ones(2, 3)], [torch.zeros(2, 3)]) is None
    True
    """
    here, slopes, rest = params, grads, kept
    if not _PLAIN.issuperset(map(type, params)):  # of a divided tensor, what lies in this process's memory
        here, slopes, *divided = [list(map(_part, column)) for column in (params, grads, *kept)]
        rest = tuple(divided)
    if all(map(Tensor.is_contiguous, chain(here, slopes, *rest))):
        return list(grads)
    in_order = all(all(map(same_order, here, column)) for column in rest)
    if not in_order or not all(map(is_dense, here)):
        return None
    alike = map(same_order, slopes, here)
    return [g if same else laid_out_like(g, p) for g, p, same in zip(grads, params, alike, strict=True)]


_PLAIN = {Tensor, nn.Parameter}


def _part(tensor: Any) -> Any:
    return getattr(tensor, "_local_tensor", tensor)


def same_order(one: Shaped[Tensor, "*shape"], other: Shaped[Tensor, "*shape"]) -> bool:
    """Whether equal indices are at equal places; the stride of an axis with one index does not matter."""
    return one.stride() == other.stride() or _steps(one) == _steps(other)


def is_dense(tensor: Shaped[Tensor, "*shape"]) -> bool:
    """Whether the elements fill a block of memory, in any order of the axes, each its own place.

    >>> square = torch.zeros(4, 4)
    >>> is_dense(square.t()), is_dense(square[:, ::2]), is_dense(torch.zeros(1).expand(3))
    (True, False, False)
    """
    if tensor.is_contiguous():
        return True
    expected = 1
    for stride, size in sorted(_steps(tensor)):
        if stride != expected:
            return False
        expected *= size
    return True


def laid_out_like(
    tensor: Shaped[Tensor, "*shape"], model: Shaped[Tensor, "*shape"]
) -> Shaped[Tensor, "*shape"]:
    """The tensor itself, or a copy with the strides that ``torch.empty_like(model)`` has.

    >>> laid_out_like(torch.ones(2, 3), torch.zeros(3, 2).t()).stride()
    (1, 2)
    """
    wanted = torch.empty_like(model, dtype=tensor.dtype, device=tensor.device)
    return tensor if same_order(tensor, wanted) else wanted.copy_(tensor)


def _steps(tensor: Shaped[Tensor, "*shape"]) -> list[tuple[int, int]]:
    return [pair for pair in zip(tensor.stride(), tensor.shape, strict=True) if pair[1] != 1]
