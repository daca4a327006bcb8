import torch
from jaxtyping import Float
from torch import Tensor


def l2_penalty(weight: Float[Tensor, "rows cols"]) -> Float[Tensor, ""]:
    return weight.pow(2).sum()  #! return weight.pow(2).sum(-1)  # E: shape


# run: l2_penalty(randn(3, 5))
