import torch
from jaxtyping import Float
from torch import Tensor


def heads(x: Float[Tensor, "b s 64"]) -> Float[Tensor, "b 8 s 8"]:
    return x.unflatten(-1, (8, 8)).transpose(1, 2)  #! return x.unflatten(-1, (8, 16)).transpose(1, 2)  # E: shape


# run: heads(randn(2, 3, 64))
