import torch
from jaxtyping import Float
from torch import Tensor


def corner(boxes: Float[Tensor, "n 4"]) -> Float[Tensor, "n 2"]:
    return boxes[:, :2]  #! return boxes[:, :, :2]  # E: shape


# run: corner(randn(3, 4))
