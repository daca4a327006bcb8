import functools

import torch
from jaxtyping import Float
from torch import Tensor


def huber(
    pred: Float[Tensor, "n d"], target: Float[Tensor, "n d"], delta: float
) -> Float[Tensor, "n"]:
    error = (pred - target).abs()
    return torch.where(error < delta, 0.5 * error**2, delta * (error - 0.5 * delta)).sum(-1)


robust = functools.partial(huber, delta=0.1)


def total(pred: Float[Tensor, "n d"], target: Float[Tensor, "n d"]) -> Float[Tensor, ""]:
    return robust(pred, target).mean()  #! return robust(pred, target.mT).mean()  # E: shape


# run: total(randn(3, 5), randn(3, 5))
