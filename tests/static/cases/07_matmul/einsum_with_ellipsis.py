import torch
from jaxtyping import Float
from torch import Tensor


def rotate(points: Float[Tensor, "*batch n 3"], rotation: Float[Tensor, "*batch 3 3"]) -> Float[Tensor, "*batch n 3"]:
    return torch.einsum("...ij,...nj->...ni", rotation, points)  #! return torch.einsum("...ij,...nj->...in", rotation, points)  # E: shape


# run: rotate(randn(2, 5, 3), randn(2, 3, 3))
