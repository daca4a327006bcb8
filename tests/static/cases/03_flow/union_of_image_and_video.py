import torch
from jaxtyping import Float
from torch import Tensor


def frames(x: Float[Tensor, "b c h w"] | Float[Tensor, "b c t h w"]) -> Float[Tensor, "n c h w"]:
    if x.ndim == 5:
        return x.transpose(1, 2).flatten(0, 1)  #! return x.flatten(0, 1)  # E: shape
    return x


# run: frames(randn(2, 3, 5, 7, 11))
