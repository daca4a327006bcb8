import torch
from jaxtyping import Float
from torch import Tensor


def attend(
    q: Float[Tensor, "batch heads query head_dim"], k: Float[Tensor, "batch heads key head_dim"]
) -> Float[Tensor, "batch heads query key"]:
    return torch.einsum("bhqd,bhkd->bhqk", q, k)  #! return torch.einsum("bhqd,bhkd->bhkq", q, k)  # E: shape


# run: attend(randn(2, 3, 5, 4), randn(2, 3, 6, 4))
