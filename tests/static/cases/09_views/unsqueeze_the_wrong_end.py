import torch
from jaxtyping import Float
from torch import Tensor


def scale_rows(x: Float[Tensor, "n d"], s: Float[Tensor, "n"]) -> Float[Tensor, "n d"]:
    return x * s.unsqueeze(-1)  #! return x * s.unsqueeze(0)  # E: shape


# run: scale_rows(randn(3, 5), randn(3))
