import torch
from jaxtyping import Float
from torch import Tensor


def contract(x: Float[Tensor, "b i j"], w: Float[Tensor, "i j k"]) -> Float[Tensor, "b k"]:
    return torch.tensordot(x, w, dims=2)  #! return torch.tensordot(x, w, dims=1)  # E: shape


# run: contract(randn(2, 3, 5), randn(3, 5, 7))
