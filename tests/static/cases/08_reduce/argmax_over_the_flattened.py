import torch
from jaxtyping import Float, Int
from torch import Tensor


def hardest(loss: Float[Tensor, "b n"]) -> Int[Tensor, "b"]:
    return loss.argmax(dim=1)  #! return loss.argmax()  # E: shape


# run: hardest(randn(3, 5))
