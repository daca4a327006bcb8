import torch
from jaxtyping import Bool, Float
from torch import Tensor


def valid(depth: Float[Tensor, "h w"], mask: Float[Tensor, "h w"]) -> Bool[Tensor, "h w"]:
    return (depth > 0) & (mask > 0.5)  #! return (depth > 0) & mask  # E: dtype


# run: valid(randn(3, 5), torch.rand(3, 5))
