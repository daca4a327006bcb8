import torch
from jaxtyping import Bool, Float
from torch import Tensor


def largest(x: Float[Tensor, "n d"], k: int) -> Bool[Tensor, "n d"]:
    best = x.abs().topk(k, dim=1).indices
    mask = torch.zeros_like(x, dtype=torch.bool)
    return mask.scatter(1, best, True)  #! return mask.gather(1, best)  # E: shape


# run: largest(randn(3, 5), 2)
