import torch
from jaxtyping import Float
from torch import Tensor


def pooled(x: Float[Tensor, "b points d"]) -> Float[Tensor, "b d"]:
    return x.max(dim=1).values  #! return x.max(dim=2).values  # E: shape


# run: pooled(randn(2, 3, 5))
