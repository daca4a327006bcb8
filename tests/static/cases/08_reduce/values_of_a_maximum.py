import torch
from jaxtyping import Float
from torch import Tensor


def strongest(x: Float[Tensor, "batch channels time"]) -> Float[Tensor, "batch channels"]:
    return x.max(dim=-1).values  #! return x.max(dim=-1)  # E: shape


# run: strongest(randn(2, 3, 4))
