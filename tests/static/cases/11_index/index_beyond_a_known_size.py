import torch
from jaxtyping import Float
from torch import Tensor


def blue(image: Float[Tensor, "b 3 h w"]) -> Float[Tensor, "b h w"]:
    return image[:, 2]  #! return image[:, 3]  # E: shape


# run: blue(randn(2, 3, 5, 7))
