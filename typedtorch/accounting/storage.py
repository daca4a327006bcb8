"""The storage behind a tensor: what it holds, what shares it, and what is a copy.

A tensor is a view of a one-dimensional storage: an offset, a size and a stride per axis.
"""

from __future__ import annotations

from jaxtyping import Shaped
from torch import Tensor


def storage_bytes(tensor: Shaped[Tensor, "*shape"]) -> int:
    """Bytes of the storage behind a tensor, which may hold more (a slice) or less (an expansion) than it.

    >>> import torch; x = torch.zeros(4, 6)
    >>> storage_bytes(x), storage_bytes(x[:2]), storage_bytes(x[:1].expand(9, 6))
    (96, 96, 96)
    """
    return int(tensor.untyped_storage().nbytes())


def tensor_bytes(tensor: Shaped[Tensor, "*shape"]) -> int:
    """Bytes its elements would take if none shared memory: ``numel * itemsize``.

    >>> import torch
    >>> tensor_bytes(torch.zeros(4, 6, dtype=torch.bfloat16))
    48
    """
    return tensor.numel() * tensor.element_size()


def same_storage(a: Shaped[Tensor, "*a"], b: Shaped[Tensor, "*b"]) -> bool:
    """Whether two tensors share their memory, so that writing to one may change the other.

    >>> import torch; x = torch.zeros(2, 3)
    >>> same_storage(x, x.T), same_storage(x, x.clone())
    (True, False)
    """
    return bool(a.untyped_storage()._cdata == b.untyped_storage()._cdata)


def is_view(tensor: Shaped[Tensor, "*shape"]) -> bool:
    """Whether a tensor does not cover its storage exactly once from the start, in order.

    A transposed, sliced or expanded tensor is a view; a fresh or a cloned one is not.  A reshape that
    covers the whole storage in order cannot be told from a fresh tensor: compare with
    :func:`same_storage`.

    >>> import torch; x = torch.zeros(2, 3)
    >>> is_view(x), is_view(x.T), is_view(x[1:]), is_view(x.T.contiguous())
    (False, True, True, False)
    """
    covers = storage_bytes(tensor) == tensor_bytes(tensor) and tensor.storage_offset() == 0
    return not (covers and tensor.is_contiguous())


def strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Row-major strides: how far apart in memory neighbours along each axis are, in elements.

    ``stride[i] = shape[i+1] * shape[i+2] * ...``

    >>> import torch
    >>> strides((2, 3, 4)) == torch.zeros(2, 3, 4).stride()
    True
    """
    steps = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        steps[axis] = steps[axis + 1] * max(shape[axis + 1], 1)
    return tuple(steps)


def offset(tensor: Shaped[Tensor, "*shape"], index: tuple[int, ...]) -> int:
    """Where an element lies in the storage, in elements: ``storage_offset + sum(index * stride)``.

    Raises:
        IndexError: the index does not have one number per axis, or lies outside.

    >>> import torch; x = torch.arange(12).view(3, 4)
    >>> x.flatten()[offset(x, (1, 2))].item() == x[1, 2].item()
    True
    """
    if len(index) != tensor.dim():
        raise IndexError(f"wanted {tensor.dim()} indices for shape {tuple(tensor.shape)}, got {len(index)}")
    for axis, (at, size) in enumerate(zip(index, tensor.shape, strict=True)):
        if not 0 <= at < size:
            raise IndexError(f"index {at} is outside axis {axis} of size {size}")
    return int(tensor.storage_offset() + sum(i * s for i, s in zip(index, tensor.stride(), strict=True)))


def is_contiguous(shape: tuple[int, ...], stride: tuple[int, ...]) -> bool:
    """Whether a tensor of this geometry lies in memory row by row; axes of size 1 have any stride.

    >>> is_contiguous((2, 3), (3, 1)), is_contiguous((3, 2), (1, 3)), is_contiguous((1, 3), (99, 1))
    (True, False, True)
    """
    if 0 in shape:
        return True
    return all(n == 1 or s == w for n, s, w in zip(shape, stride, strides(shape), strict=True))
