import torch
from jaxtyping import Float
from torch import Tensor


def red(image: Float[Tensor, "b 3 h w"]) -> Float[Tensor, "b 1 h w"]:
    return image[:, 0:1]  #! return image[:, 0]  # E: shape


# run: red(randn(2, 3, 5, 7))
