import torch
from jaxtyping import Float
from torch import Tensor


def energy(x: Float[Tensor, "b n d"]) -> Float[Tensor, "b"]:
    return x.square().sum(dim=(1, 2))  #! return x.square().sum()  # E: shape


# run: energy(randn(2, 3, 5))
