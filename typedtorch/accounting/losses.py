"""How an output becomes the scalar a training step differentiates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import torch
import torch.nn.functional as F
from jaxtyping import Float, Inexact, Int64, Shaped
from torch import Tensor

from typedtorch.accounting import annotations as an
from typedtorch.accounting.checks import meant, shown
from typedtorch.accounting.errors import AccountingError
from typedtorch.accounting.trace import tensors

LossName = Literal["sum", "mean", "mse", "cross_entropy"]
Loss = LossName | Callable[..., Tensor]


def check_name(loss: Loss) -> None:
    """Refuse a name that no loss has.

    Raises:
        AccountingError: with the names there are.
    """
    if not callable(loss) and not (isinstance(loss, str) and loss in _NAMED):
        raise AccountingError(
            f"loss={shown(loss)}: {meant(loss, _NAMED)}pass a callable or one of {', '.join(_NAMED)}"
        )


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
    check_name(loss)
    return _NAMED[loss]


def _differentiable(output: Any) -> list[Tensor]:
    """The tensors of an output that have a gradient.

    Raises:
        AccountingError: there is none.
    """
    found = [t for t in tensors(output) if t.requires_grad]
    if not found:
        raise AccountingError(
            "nothing in the output depends on a parameter or an input that needs a gradient: "
            "account for inference with phase='inference', or check requires_grad"
        )
    return found


def _first(output: Any) -> Shaped[Tensor, "*shape"]:
    """The first tensor with a gradient, one with axes if there is any: what stands beside targets."""
    found = _differentiable(output)
    return next((t for t in found if t.dim()), found[0])


def _total(parts: list[Inexact[Tensor, ""]]) -> Inexact[Tensor, ""]:
    """Their sum, in which a single one is itself."""
    total, *rest = parts
    for part in rest:
        total = total + part
    return total


def _sum(output: Any) -> Inexact[Tensor, ""]:
    return _total([t.sum() if t.dim() else t for t in _differentiable(output)])


def _mean(output: Any) -> Inexact[Tensor, ""]:
    return _total([t.mean() if t.dim() else t for t in _differentiable(output)])


def _classes(output: Any) -> tuple[Int64[Tensor, "*batch"]]:
    logits: Float[Tensor, "*batch classes"] = _first(output)
    if logits.dim() < 2:
        raise AccountingError(
            f"loss='cross_entropy': wanted an output of axes (..., classes), got {tuple(logits.shape)}; "
            "'mse', 'sum', 'mean' and a function take any"
        )
    return (torch.empty(logits.shape[:-1], dtype=torch.int64, device=logits.device),)


def _cross_entropy(output: Any, target: Int64[Tensor, "*batch"]) -> Float[Tensor, ""]:
    logits: Float[Tensor, "*batch classes"] = _first(output)
    return F.cross_entropy(logits.flatten(0, -2), target.flatten())


def _like(output: Any) -> tuple[Shaped[Tensor, "*shape"]]:
    return (torch.empty_like(_first(output), requires_grad=False),)


def _mse(output: Any, target: Shaped[Tensor, "*shape"]) -> Float[Tensor, ""]:
    return F.mse_loss(_first(output), target)


_NAMED: dict[str, tuple[Callable[[Any], tuple[Any, ...]], Callable[..., Tensor]]] = {
    "sum": (lambda _: (), _sum),
    "mean": (lambda _: (), _mean),
    "mse": (_like, _mse),
    "cross_entropy": (_classes, _cross_entropy),
}
