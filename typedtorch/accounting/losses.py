"""How an output becomes the scalar a training step differentiates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64, Shaped
from torch import Tensor

from typedtorch.accounting import annotations as an
from typedtorch.accounting.errors import AccountingError
from typedtorch.accounting.trace import tensors

LossName = Literal["sum", "mean", "mse", "cross_entropy"]
Loss = LossName | Callable[..., Tensor]


def objective(
    loss: Loss, sizes: an.Sizes, default: torch.dtype, device: torch.device
) -> tuple[Callable[[Any], tuple[Any, ...]], Callable[..., Tensor]]:
    """Two functions: the targets an output calls for, and the loss of ``(output, *targets)``.

    A callable may have further parameters, annotated with the axes of the targets.
    """
    if callable(loss):
        rest = an.parameters(loss, (None,))[1:]
        made: list[Any] = []

        def targets(_output: Any) -> tuple[Any, ...]:
            if not made:
                made.extend(an.make(p.spec, sizes, default, device) for p in rest)
            return tuple(made)

        return targets, loss
    if loss not in _NAMED:
        raise AccountingError(f"loss={loss!r}: pass a callable or one of {', '.join(_NAMED)}")
    return _NAMED[loss]


def scalar(output: Any) -> Shaped[Tensor, "*shape"]:
    """The output itself where it is a scalar with a gradient, else the first differentiable tensor."""
    found = [t for t in tensors(output) if t.requires_grad]
    if not found:
        raise AccountingError(
            "nothing in the output depends on a parameter or an input that needs a gradient: "
            "account for inference with phase='inference', or check requires_grad"
        )
    return next((t for t in found if t.numel() == 1), found[0])


def _sum(output: Any) -> Float[Tensor, ""]:
    chosen = scalar(output)
    return chosen if chosen.dim() == 0 else chosen.sum()


def _mean(output: Any) -> Float[Tensor, ""]:
    chosen = scalar(output)
    return chosen if chosen.dim() == 0 else chosen.mean()


def _classes(output: Any) -> tuple[Int64[Tensor, "*batch"]]:
    logits: Float[Tensor, "*batch classes"] = scalar(output)
    return (torch.empty(logits.shape[:-1], dtype=torch.int64, device=logits.device),)


def _cross_entropy(output: Any, target: Int64[Tensor, "*batch"]) -> Float[Tensor, ""]:
    logits: Float[Tensor, "*batch classes"] = scalar(output)
    return F.cross_entropy(logits.flatten(0, -2), target.flatten())


def _like(output: Any) -> tuple[Shaped[Tensor, "*shape"]]:
    return (torch.empty_like(scalar(output), requires_grad=False),)


def _mse(output: Any, target: Shaped[Tensor, "*shape"]) -> Float[Tensor, ""]:
    return F.mse_loss(scalar(output), target)


_NAMED: dict[str, tuple[Callable[[Any], tuple[Any, ...]], Callable[..., Tensor]]] = {
    "sum": (lambda _: (), _sum),
    "mean": (lambda _: (), _mean),
    "mse": (_like, _mse),
    "cross_entropy": (_classes, _cross_entropy),
}
