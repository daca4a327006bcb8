import torch
from jaxtyping import Float
from torch import Tensor


def weighted_loss(loss: Float[Tensor, "batch"], weight: Float[Tensor, "batch 1"]) -> Float[Tensor, ""]:
    return (loss * weight[:, 0]).sum()  #! return (loss * weight).sum()  # E: broadcast


# quiet: the product is batch by batch
# run: weighted_loss(randn(5), randn(5, 1))
