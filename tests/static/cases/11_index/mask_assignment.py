import torch
from jaxtyping import Bool, Float
from torch import Tensor


def inpaint(
    image: Float[Tensor, "c h w"], hole: Bool[Tensor, "h w"], fill: Float[Tensor, "c h w"]
) -> Float[Tensor, "c h w"]:
    out = image.clone()
    out[:, hole] = fill[:, hole]  #! out[hole] = fill[:, hole]  # E: shape
    return out


# run: inpaint(randn(3, 5, 7), randn(5, 7) > 0, randn(3, 5, 7))
