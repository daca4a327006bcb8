import torch
from jaxtyping import Float
from torch import Tensor


def tile(cls: Float[Tensor, "1 1 d"], x: Float[Tensor, "b s d"]) -> Float[Tensor, "b s+1 d"]:
    token = cls.repeat(x.shape[0], 1, 1)  #! token = cls.repeat(x.shape[0], 1, x.shape[2])
    return torch.cat([token, x], dim=1)  # E: shape


# run: tile(randn(1, 1, 5), randn(2, 3, 5))
