"""Limits on gradients."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Shaped
from torch import Tensor, nn


@dataclass(frozen=True)
class Clipped:
    """What clipping found: tensors, so that asking nothing stops no GPU."""

    norm: Float[Tensor, ""]
    """Global norm before clipping."""
    finite: Bool[Tensor, ""]
    """False where any gradient held an infinity or a NaN: such a step should not be applied."""


@torch.no_grad()
def clip_by_global_norm(grads: Iterable[Tensor | None], limit: float) -> Clipped:
    """Scale all gradients in place by ``limit / norm`` where their joint 2-norm is above ``limit``.

    Pascanu et al., arXiv:1211.5063.  Below the limit, and where the norm is not finite, every bit stays.

    Args:
        grads: gradients, of any shapes, dtypes and devices; a None is left out; none at all is a norm of 0.
        limit: greater than 0; ``math.inf`` only measures.

    Raises:
        ValueError: ``limit`` is not greater than 0, or a gradient is sparse.
        TypeError: parameters, which would be scaled in place of their gradients.

    >>> g = torch.tensor([3.0, 4.0])
    >>> clip_by_global_norm([g], 1.0).norm, g
    (tensor(5.), tensor([0.6000, 0.8000]))
    """
    if not limit > 0:
        raise ValueError(f"clip_by_global_norm: limit must be greater than 0, got {limit}")
    tensors = _gradients("clip_by_global_norm", grads)
    norm = global_norm(tensors)
    finite = norm < math.inf  # also False where it is not a number
    # a factor of exactly 1 changes no bit, and needs no look at the norm
    scale = torch.where(finite & (norm > limit), limit / norm, 1.0)
    devices = {tensor.device for tensor in tensors}
    for device in devices:
        here = tensors if len(devices) == 1 else [tensor for tensor in tensors if tensor.device == device]
        torch._foreach_mul_(here, scale.to(device))
    return Clipped(norm, finite)


@torch.no_grad()
def global_norm(tensors: Iterable[Tensor]) -> Float[Tensor, ""]:
    """The 2-norm of all elements of all tensors together, at least in float32.

    >>> global_norm([torch.tensor([3.0]), torch.tensor([[4.0]])])
    tensor(5.)
    """
    found = list(tensors)
    if not found:
        return torch.zeros(())
    kinds = set(map(_kind, found))
    if len(kinds) == 1:  # the usual case, in one kernel where there is one
        norms = list(torch._foreach_norm(found, 2, dtype=_wide(found[0])))
    else:
        wide = torch.float64 if {torch.float64, torch.complex128} & {t for t, _ in kinds} else torch.float32
        each = list(map(_norm, found))
        norms = [norm.to(each[0].device, wide) for norm in each]
    joint: Float[Tensor, ""] = torch.linalg.vector_norm(torch.stack(norms))
    return joint


@dataclass(frozen=True)
class ClippedValues:
    """What clipping by value found: tensors, so that asking nothing stops no GPU."""

    largest: Float[Tensor, ""]
    """The largest absolute value before clipping."""
    finite: Bool[Tensor, ""]
    """False where any gradient held an infinity or a NaN: such a step should not be applied."""


@torch.no_grad()
def clip_by_value(grads: Iterable[Tensor | None], limit: float) -> ClippedValues:
    """Clamp every element of every gradient to ``[-limit, limit]``, in place.

    Where any is not finite every bit stays: an infinity clamped to the limit would look like a gradient.
    (``torch.nn.utils.clip_grad_value_`` clamps it.)

    Args:
        grads: gradients, of any shapes, dtypes and devices; a None is left out; of none the largest is 0.
        limit: greater than 0; ``math.inf`` only measures.

    Raises:
        ValueError: ``limit`` is not greater than 0, or a gradient is sparse.
        TypeError: parameters, which would be clamped in place of their gradients, or a complex gradient.

    >>> g = torch.tensor([-3.0, 0.5])
    >>> clip_by_value([g], 1.0).largest, g
    (tensor(3.), tensor([-1.0000,  0.5000]))
    """
    if not limit > 0:
        raise ValueError(f"clip_by_value: limit must be greater than 0, got {limit}")
    tensors = _gradients("clip_by_value", grads)
    if any(grad.is_complex() for grad in tensors):  # has no order
        raise TypeError("clip_by_value: a gradient is complex; clip_by_global_norm scales those")
    largest = _largest(tensors)
    finite = largest < math.inf  # also False where it is not a number
    # infinite bounds change no bit, and need no look at the values
    bound = torch.where(finite, limit, math.inf)
    for grad in tensors:
        _clamp(grad, bound, limit)
    return ClippedValues(largest, finite)


def _clamp(grad: Shaped[Tensor, "*shape"], bound: Float[Tensor, ""], limit: float) -> None:
    """In place to ``bound``, which is ``limit`` or infinite; on a GPU without a look at it."""
    if grad.device.type != "cpu" or bound.device.type != "cpu":
        here = bound.to(grad.device, grad.dtype)
        grad.clamp_(-here, here)
    elif bound < math.inf:
        grad.clamp_(-limit, limit)


def _largest(tensors: list[Tensor]) -> Float[Tensor, ""]:
    """The largest absolute value of all elements, not a number where one is not."""
    found = [tensor for tensor in tensors if tensor.numel()]
    if not found:
        return torch.zeros(())
    kinds = set(map(_kind, found))
    if len(kinds) == 1:  # the usual case, in one kernel where there is one
        return torch.stack(list(torch._foreach_norm(found, math.inf))).amax()
    wide = torch.float64 if torch.float64 in {dtype for dtype, _ in kinds} else torch.float32
    each = list(map(_greatest, found))
    return torch.stack([one.to(each[0].device, wide) for one in each]).amax()


def _gradients(who: str, grads: Iterable[Tensor | None]) -> list[Tensor]:
    found = [grad for grad in grads if grad is not None]
    if any(type(grad) is nn.Parameter for grad in found):
        raise TypeError(f"{who}: expected gradients, got parameters; pass (p.grad for p in parameters)")
    if any(grad.layout is not torch.strided for grad in found):
        raise ValueError(f"{who}: a gradient is sparse; make it dense (grad.to_dense())")
    return found


def _kind(tensor: Shaped[Tensor, "*shape"]) -> tuple[torch.dtype, torch.device]:
    return tensor.dtype, tensor.device


def _norm(tensor: Shaped[Tensor, "*shape"]) -> Float[Tensor, ""]:
    norm: Float[Tensor, ""] = torch.linalg.vector_norm(tensor, dtype=_wide(tensor))
    return norm


def _greatest(tensor: Shaped[Tensor, "*shape"]) -> Float[Tensor, ""]:
    greatest: Float[Tensor, ""] = torch.linalg.vector_norm(tensor, math.inf)
    return greatest


def _wide(tensor: Shaped[Tensor, "*shape"]) -> torch.dtype | None:
    """Half precision overflows when squared: accumulate it in float32."""
    return torch.float32 if tensor.dtype in (torch.float16, torch.bfloat16) else None
