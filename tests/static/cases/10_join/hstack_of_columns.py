import torch
from jaxtyping import Float
from torch import Tensor


def design(x: Float[Tensor, "n d"]) -> Float[Tensor, "n d+1"]:
    ones = torch.ones(x.shape[0], 1)
    return torch.hstack([x, ones])  #! return torch.vstack([x, ones])  # E: shape


# run: design(randn(3, 5))
