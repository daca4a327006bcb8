import torch
from jaxtyping import Float
from torch import Tensor


def keys(x: Float[Tensor, "b s d"]) -> Float[Tensor, "b d s"]:
    return x.transpose(1, 2)  #! return x.transpose(2, 3)  # E: shape


# run: keys(randn(2, 3, 5))
