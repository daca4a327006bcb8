import torch
from jaxtyping import Float
from torch import Tensor


def encode(
    x: Float[Tensor, "b n d"],
) -> tuple[Float[Tensor, "b n d"], Float[Tensor, "b d"]]:
    return x.cumsum(1), x.mean(1)


def summary(x: Float[Tensor, "b n d"], w: Float[Tensor, "d k"]) -> Float[Tensor, "b k"]:
    _, pooled = encode(x)  #! pooled, _ = encode(x)
    return pooled @ w  # E: shape


# run: summary(randn(2, 3, 5), randn(5, 7))
