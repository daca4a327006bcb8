"""Halves of which one is the longer: a bound that is rounded up is written with two minus signs."""

import torch
from jaxtyping import Float
from torch import Tensor


def ceil_half(x: Float[Tensor, "n d"]) -> Float[Tensor, "-(-n//2) d"]:
    n = x.shape[0]
    return x[: -(-n // 2)]


def half_up(x: Float[Tensor, "n d"]) -> Float[Tensor, "(n+1)//2 d"]:
    return x[: -(-x.shape[0] // 2)]


def both(x: Float[Tensor, "n d"]) -> tuple[Float[Tensor, "(n+1)//2 d"], Float[Tensor, "n//2 d"]]:
    k = -(-x.shape[0] // 2)
    return x[:k], x[k:]


def added(x: Float[Tensor, "t d"]) -> Float[Tensor, "(t+1)//2 d"]:
    n = -(-len(x) // 2)
    out = torch.zeros(n, x.shape[1])
    out[:] = x[:n]
    return out + x[::2]


def share(x: Float[Tensor, "n d"], k: int) -> tuple[Float[Tensor, "-(-n//{k}) d"], Float[Tensor, "m d"]]:
    size = -(-x.shape[0] // k)
    return x[: -(-x.shape[0] // k)], x[size:]


def tail(x: Float[Tensor, "b d"], y: Float[Tensor, "k d"]) -> Float[Tensor, "b d"]:
    return x[:, -y.numel() :]


# run: ceil_half(randn(4, 3)), half_up(randn(5, 3)), both(randn(5, 3)), added(randn(5, 3)), added(randn(1, 3))
# run: share(randn(7, 3), 3), share(randn(6, 3), 3), tail(randn(3, 4), randn(2, 4))
