import torch
from jaxtyping import Float
from torch import Tensor


def linear_part(
    transform: Float[Tensor, "frames 2 3"] | Float[Tensor, "2 3"],  #! transform: Float[Tensor, "frames 3 2"] | Float[Tensor, "2 3"],
) -> Float[Tensor, "*frames 2 2"]:
    return torch.linalg.inv(transform[..., :2])  #! return torch.linalg.inv(transform[..., :2])  # E: shape


# run: linear_part(randn(4, 2, 3)), linear_part(randn(2, 3))
