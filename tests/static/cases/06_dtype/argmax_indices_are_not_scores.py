import torch
from jaxtyping import Float, Int
from torch import Tensor


def best(scores: Float[Tensor, "b n"]) -> tuple[Float[Tensor, "b"], Int[Tensor, "b"]]:
    value, index = scores.max(dim=-1)
    return value, index  #! return index, value  # E: dtype


# run: best(randn(3, 5))
