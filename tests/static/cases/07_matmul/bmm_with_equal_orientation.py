import torch
from jaxtyping import Float
from torch import Tensor


def affinity(a: Float[Tensor, "b n d"], b: Float[Tensor, "b m d"]) -> Float[Tensor, "b n m"]:
    return torch.bmm(a, b.transpose(1, 2))  #! return torch.bmm(a, b)  # E: shape


# run: affinity(randn(2, 3, 5), randn(2, 7, 5))
