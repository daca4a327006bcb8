import torch
from jaxtyping import Float
from torch import Tensor


def time_major(x: Float[Tensor, "batch time heads dim"]) -> Float[Tensor, "time batch heads dim"]:
    return x.permute(1, 0, 2, 3)  #! return x.permute(1, 0, 2)  # E: shape


# run: time_major(randn(2, 3, 5, 7))
