import torch
from jaxtyping import Float
from torch import Tensor


def lora(
    x: Float[Tensor, "batch d_in"], a: Float[Tensor, "rank d_in"], b: Float[Tensor, "d_out rank"]
) -> Float[Tensor, "batch d_out"]:
    return torch.einsum("bi,ri,or->bo", x, a, b)  #! return torch.einsum("bi,ir,or->bo", x, a, b)  # E: shape


# run: lora(randn(3, 5), randn(2, 5), randn(7, 2))
