"""Exponential moving averages of parameters."""

from collections.abc import Sequence

import torch
from torch import Tensor


@torch.no_grad()
def ema(
    averages: Sequence[Tensor],
    params: Sequence[Tensor],
    *,
    decay: float,
    donate: bool = False,
) -> list[Tensor]:
    """``average = decay * average + (1 - decay) * param``, each in the average's own dtype.

    Polyak and Juditsky, SIAM J. Control Optim. 30 (1992).  Start from copies of the parameters; in float32
    where the parameters are in half precision, for in half precision small changes are lost.

    Args:
        averages: one per parameter, of the same shape.
        params: the parameters.
        decay: in [0, 1]; see :func:`ema_decay` for the first steps.
        donate: write into ``averages`` and return them.

    Raises:
        ValueError: ``decay`` out of range, or averages and parameters that do not belong together.

    >>> ema([torch.tensor([1.0])], [torch.tensor([2.0])], decay=0.75)
    [tensor([1.2500])]
    """
    if not 0.0 <= decay <= 1.0:
        raise ValueError(f"ema: decay must be in [0, 1], got {decay}")
    if len(averages) != len(params):
        raise ValueError(f"ema: {len(averages)} averages of {len(params)} parameters")
    for i, (average, param) in enumerate(zip(averages, params, strict=True)):
        if average.shape != param.shape:
            raise ValueError(
                f"ema: average {i} is {tuple(average.shape)}, its parameter {tuple(param.shape)}"
            )
    cast = [param.to(average.dtype) for average, param in zip(averages, params, strict=True)]
    if donate:
        torch._foreach_lerp_(list(averages), cast, 1.0 - decay)
        return list(averages)
    return list(torch._foreach_lerp(list(averages), cast, 1.0 - decay))


def ema_decay(step: int, decay: float) -> float:
    """``min(decay, (1 + step) / (10 + step))``: an average of little forgets fast.

    >>> [round(ema_decay(step, 0.99), 3) for step in (0, 90, 10_000)]
    [0.1, 0.91, 0.99]
    """
    return min(decay, (1 + step) / (10 + step))
