import torch
from jaxtyping import Float, Int
from torch import Tensor


def neighbours(x: Float[Tensor, "n d"], index: Int[Tensor, "m k"]) -> Float[Tensor, "m k d"]:
    return x[index]  #! return x[:, index]  # E: shape


# run: neighbours(randn(7, 3), randint(0, 3, (5, 2)))
