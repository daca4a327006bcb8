import torch
from jaxtyping import Float
from torch import Tensor


def alignment(a: Float[Tensor, "d k"], b: Float[Tensor, "d k"]) -> Float[Tensor, ""]:
    return torch.dot(a.flatten(), b.flatten())  #! return torch.dot(a, b)  # E: shape


# run: alignment(randn(3, 5), randn(3, 5))
