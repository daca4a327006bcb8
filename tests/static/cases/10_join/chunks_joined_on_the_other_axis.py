import torch
from jaxtyping import Float
from torch import Tensor


def rotate_half(x: Float[Tensor, "b s 64"]) -> Float[Tensor, "b s 64"]:
    a, b = x.split(32, dim=-1)
    return torch.cat((-b, a), dim=-1)  #! return torch.cat((-b, a), dim=1)  # E: shape


# run: rotate_half(randn(2, 3, 64))
