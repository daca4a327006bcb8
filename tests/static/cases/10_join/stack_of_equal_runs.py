import torch
from jaxtyping import Float
from torch import Tensor


def pairs(x: Float[Tensor, "*batch dim"]) -> Float[Tensor, "*batch pairs 2"]:
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((even, odd), dim=-1)  #! return torch.stack((even, odd), dim=-1).sum(-1)  # E: shape


# run: pairs(randn(3, 4))
