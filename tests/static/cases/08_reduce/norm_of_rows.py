import torch
from jaxtyping import Float
from torch import Tensor


def unit_rows(x: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
    return x / torch.linalg.norm(x, dim=1, keepdim=True)  #! return x / torch.linalg.norm(x, dim=1)  # E: shape


# run: unit_rows(randn(3, 5))
