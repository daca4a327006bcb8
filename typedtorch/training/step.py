"""The gradients of one optimizer step: summed over micro-batches, then divided by the joint count."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import AbstractContextManager
from numbers import Real
from typing import Any, NamedTuple, Protocol, TypeVar

import torch
from jaxtyping import Float, Shaped
from torch import Tensor, nn

from typedtorch.training.errors import told

Count = int | float | Shaped[Tensor, ""]
"""Items, or the sum of their weights."""


class LossSum(NamedTuple):
    """A summed loss and how many items it sums, so that parts can be joined exactly."""

    total: Float[Tensor, ""]
    items: Count


BatchT = TypeVar("BatchT")
_ModelT_contra = TypeVar("_ModelT_contra", bound=nn.Module, contravariant=True)
_BatchT_contra = TypeVar("_BatchT_contra", contravariant=True)


class LossFunction(Protocol[_ModelT_contra, _BatchT_contra]):
    """The loss of a model on a batch: a :class:`LossSum` (or such a pair), or a mean, one item.

    It may ask for a model and a batch of its own types; those that are given are held against them.  (With
    ``ddp`` and ``zero1`` the model comes in torch's wrapper, which has it as ``module``.)

    >>> def loss(model: nn.Linear, batch: tuple[Tensor, Tensor]) -> Tensor:
    ...     return nn.functional.mse_loss(model(batch[0]), batch[1])
    >>> checked: LossFunction[nn.Linear, tuple[Tensor, Tensor]] = loss
    """

    def __call__(
        self, model: _ModelT_contra, batch: _BatchT_contra, /
    ) -> LossSum | tuple[Tensor, Count] | Tensor: ...


AnyLoss = LossFunction[Any, Any]


class Accumulated(NamedTuple):
    """What the micro-batches of one step gave."""

    total: Float[Tensor, ""]
    items: Count
    expected: Count
    """What the gradients were divided by; they are right where it equals ``items``."""


class BatchesEnded(Exception):
    """The source has no batch left."""


def evaluate_loss(loss: AnyLoss, model: nn.Module, batch: object) -> LossSum:
    """The loss as a sum and a count, whichever of the allowed forms ``loss`` returns.

    Raises:
        TypeError: neither a pair nor a scalar tensor.
    """
    found = loss(model, batch)
    if isinstance(found, tuple) and len(found) == 2 and isinstance(found[0], Tensor):
        if found[0].numel() == 1 and _counts(found[1]):
            return found if isinstance(found, LossSum) else LossSum(*found)
        got = f"a sum of shape {tuple(found[0].shape)} and {found[1]!r}"
        raise TypeError(f"loss: expected a scalar sum and a count from 0, got {got}")
    if isinstance(found, Tensor) and found.numel() == 1:
        return LossSum(found, 1)
    shape = f" of shape {tuple(found.shape)}" if isinstance(found, Tensor) else ""
    raise TypeError(f"loss: expected a scalar tensor or a pair (sum, count), got {told(found)}{shape}")


def _counts(items: object) -> bool:
    """Whether it is a number of items; of a tensor the value is not asked, which would stop a GPU."""
    if isinstance(items, Tensor):
        return items.numel() == 1
    return isinstance(items, Real) and 0 <= float(items) < math.inf


def accumulate_gradients(
    loss: AnyLoss,
    model: nn.Module,
    draw: Callable[[], object],
    micro_batches: int,
    *,
    autocast: AbstractContextManager[None],
    backward: Callable[[Float[Tensor, ""]], None],
    around: Callable[[bool], AbstractContextManager[None]],
    divisor: Callable[[Count], Count] | None = None,
) -> Accumulated:
    """Backpropagate every micro-batch of one step.

    The gradient of a step is that of ``sum(losses) / sum(counts)``: a mean of the micro-batches' means would
    give the items of a short micro-batch more weight. The joint count is only known at the end, so each sum
    is first divided by what the first micro-batch promises for all, and :func:`correction` says the rest.

    ``backward(scaled_loss)`` runs the backward pass. ``around(last)`` is entered for the forward and the
    backward pass of each micro-batch; ``last`` says that no other follows.
    ``divisor`` turns the promised count into what is divided by: processes whose gradients are summed have
    to divide by the same, however much each of them holds.

    Raises:
        BatchesEnded: by ``draw``.
        TypeError: the loss has no gradient.
    """
    batch = draw()
    with around(micro_batches == 1):
        with autocast:
            total, count = evaluate_loss(loss, model, batch)
        if not total.requires_grad:
            raise TypeError(
                "loss: expected one that depends on the model's parameters, got one without a gradient"
            )
        expected = (divisor or not_zero)(count * micro_batches)
        backward(total / expected)
    total = total.detach()
    for left in range(micro_batches - 2, -1, -1):
        batch = draw()
        with around(left == 0):
            with autocast:
                part = evaluate_loss(loss, model, batch)
            backward(part.total / expected)
        total, count = total + part.total.detach(), count + part.items
    return Accumulated(total, count, expected)


def not_zero(count: Count) -> Count:
    """The count as a divisor: where nothing counts the sum is zero too.

    >>> not_zero(0), not_zero(8), not_zero(torch.tensor(0.25))
    (1, 8, tensor(0.2500))
    """
    return count + (count == 0)


def correction(
    expected: Count, count: Count, dtype: torch.dtype = torch.float32
) -> Float[Tensor, ""] | float | None:
    """What to multiply gradients by that were divided by ``expected``; None for nothing.

    Of tensors it has the loss's ``dtype``, or float32 where that is less exact.

    >>> correction(8, 8), correction(8, 4)
    (None, 2.0)
    """
    if isinstance(expected, Tensor) or isinstance(count, Tensor):
        exact = torch.promote_types(dtype, torch.float32)
        wanted: Shaped[Tensor, "*one"] = torch.as_tensor(expected)
        return wanted.to(exact) / not_zero(count)
    return None if expected == count else expected / not_zero(count)
