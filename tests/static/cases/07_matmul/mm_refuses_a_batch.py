import torch
from jaxtyping import Float
from torch import Tensor


def project(x: Float[Tensor, "b s d"], w: Float[Tensor, "d k"]) -> Float[Tensor, "b s k"]:
    flat = x.flatten(0, 1)  #! flat = x
    return torch.mm(flat, w).view(x.shape[0], x.shape[1], -1)  # E: shape


# run: project(randn(2, 3, 5), randn(5, 7))
