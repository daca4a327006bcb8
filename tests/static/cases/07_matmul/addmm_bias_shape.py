import torch
from jaxtyping import Float
from torch import Tensor


def affine(
    x: Float[Tensor, "n d"], w: Float[Tensor, "d k"], b: Float[Tensor, "k"]
) -> Float[Tensor, "n k"]:
    return torch.addmm(b, x, w)  #! return torch.addmm(b, w, x)  # E: shape


# run: affine(randn(3, 5), randn(5, 7), randn(7))
