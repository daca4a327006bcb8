from typing import TypeAlias, TypeVar

import torch
from jaxtyping import Float
from torch import Tensor

T = TypeVar("T")
Pair: TypeAlias = tuple[T, T]


def views(x: Float[Tensor, "batch dim"]) -> Pair[Float[Tensor, "batch dim"]]:
    noisy = x + torch.randn_like(x)
    return noisy, x.flip(-1)


def similarity(x: Float[Tensor, "batch dim"]) -> Float[Tensor, "batch batch"]:
    first, second = views(x)
    return first @ second.mT  #! return first.mT @ second  # E: shape


# run: similarity(randn(3, 5))
