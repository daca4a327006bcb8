import torch
from jaxtyping import Float
from torch import Tensor


def weights(scores: Float[Tensor, "batch keys"]) -> Float[Tensor, "batch keys"]:
    return scores.softmax(dim=1)  #! return scores.softmax(dim=2)  # E: shape


# run: weights(randn(3, 5))
