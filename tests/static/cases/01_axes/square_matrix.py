import torch
from jaxtyping import Float
from torch import Tensor


def power_step(m: Float[Tensor, "n n"], v: Float[Tensor, "n"]) -> Float[Tensor, "n"]:
    v = m @ v
    return v / v.norm()


def top_direction(x: Float[Tensor, "samples dim"]) -> Float[Tensor, "dim"]:
    v = x.new_ones(x.shape[1])
    for _ in range(10):
        v = power_step(x.T @ x, v)  #! v = power_step(x, v)  # E: shape
    return v  # e: shape


# run: top_direction(randn(7, 3))
