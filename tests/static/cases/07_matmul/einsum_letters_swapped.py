import torch
from jaxtyping import Float
from torch import Tensor


def scores(
    q: Float[Tensor, "batch heads query dim"], k: Float[Tensor, "batch heads key dim"]
) -> Float[Tensor, "batch heads query key"]:
    return torch.einsum("bhqd,bhkd->bhqk", q, k)  #! return torch.einsum("bhqd,bhkd->bhkq", q, k)  # E: shape


# run: scores(randn(2, 3, 5, 7), randn(2, 3, 11, 7))
