import torch
from jaxtyping import Float, Int
from torch import Tensor


def assign(x: Float[Tensor, "n d"], centres: Float[Tensor, "k d"]) -> Int[Tensor, "n"]:
    return torch.cdist(x, centres).argmin(dim=1)  #! return torch.cdist(x, centres).argmin(dim=0)  # E: shape


# run: assign(randn(3, 5), randn(7, 5))
