import torch
from jaxtyping import Float
from torch import Tensor


def values(
    weights: Float[Tensor, "batch heads query key"], v: Float[Tensor, "batch heads key head_dim"]
) -> Float[Tensor, "batch heads query head_dim"]:
    return torch.einsum("bhqk,bhkd->bhqd", weights, v)  #! return torch.einsum("bhqk,bhqd->bhqd", weights, v)  # E: shape


# run: values(randn(2, 3, 5, 6), randn(2, 3, 6, 4))
