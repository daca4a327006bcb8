import torch
from jaxtyping import Float
from torch import Tensor


def depth(x: Float[Tensor, "b 1 h w"], mask: Float[Tensor, "b h w"]) -> Float[Tensor, "b h w"]:
    return x.squeeze(1) * mask  #! return x.squeeze(0) * mask  # E: shape  # e: broadcast


# run: depth(randn(2, 1, 5, 7), randn(2, 5, 7))
