from collections.abc import Callable
from typing import Optional, TypeVar

import torch
from jaxtyping import Float
from torch import Tensor

T = TypeVar("T")
Maybe = Optional[T]
Step = Callable[[T], T]


def weighted(x: Float[Tensor, "batch dim"], weight: Maybe[Float[Tensor, "batch"]] = None) -> Float[Tensor, "dim"]:
    if weight is not None:
        x = x * weight[:, None]  #! x = x * weight  # E: shape
    return x.sum(0)


def rollout(step: Step[Float[Tensor, "batch dim"]], x: Float[Tensor, "batch dim"], turns: int) -> Float[Tensor, "dim"]:
    for _ in range(turns):
        x = step(x)
    return weighted(x, torch.ones(x.shape[0]))


# run: rollout(lambda s: 2 * s, randn(3, 5), 2)
