import torch
from jaxtyping import Float, Int
from torch import Tensor


def rotated(
    x: Float[Tensor, "seq half"], start: int, cos: Float[Tensor, "seq half"], sin: Float[Tensor, "seq half"]
) -> Float[Tensor, "seq half"]:
    cache = torch.zeros(64, x.shape[1])
    cache[start : start + x.shape[0]] = x * cos
    return cache[start : start + x.shape[0]] + x * sin


def layer(x: Float[Tensor, "seq half"], angles: Float[Tensor, "seq half"], start: int) -> Float[Tensor, "seq half"]:
    cos, sin = angles.cos(), angles.sin()
    return rotated(x, start, cos, sin)  #! return rotated(x, cos, sin, start)  # E: shape


def picked(final: Float[Tensor, "batch vocab"], answers: Int[Tensor, "batch two"]) -> Float[Tensor, "batch two"]:
    return final.gather(dim=-1, index=answers)  #! return final[:, None].gather(dim=-1, index=answers)  # E: shape


# run: layer(randn(3, 4), randn(3, 4), 5), picked(randn(2, 5), torch.zeros(2, 2, dtype=torch.long))
