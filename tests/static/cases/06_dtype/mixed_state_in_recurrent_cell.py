import torch
from jaxtyping import Float16, Float32
from torch import Tensor


def update(state: Float32[Tensor, "b d"], delta: Float16[Tensor, "b d"], w: Float32[Tensor, "d d"]) -> Float32[Tensor, "b d"]:
    return state + delta.float() @ w  #! return state + delta @ w  # E: dtype


# run: update(randn(2, 3), randn(2, 3).half(), randn(3, 3))
