import torch
from jaxtyping import Bool, Float
from torch import Tensor


def fill(x: Float[Tensor, "b s d"], mask: Bool[Tensor, "b s"], token: Float[Tensor, "d"]) -> Float[Tensor, "b s d"]:
    return torch.where(mask[..., None], token, x)  #! return torch.where(mask, token, x)  # E: shape


# run: fill(randn(2, 3, 5), randn(2, 3) > 0, randn(5))
