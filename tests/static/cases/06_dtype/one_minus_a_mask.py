import torch
from torch import Tensor
from jaxtyping import Float, Bool
def negate(mask: Bool[Tensor, "b s"], x: Float[Tensor, "b s"]) -> Float[Tensor, "b s"]:
    return x * (1.0 - mask.float())  #! return x * (1.0 - mask)  # E: dtype
def invert(mask: Bool[Tensor, "b s"]) -> Bool[Tensor, "b s"]:
    return ~mask


# run: negate(torch.ones(2, 3).bool(), randn(2, 3))
