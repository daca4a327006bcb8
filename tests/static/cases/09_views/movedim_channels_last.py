import torch
from jaxtyping import Float
from torch import Tensor


def channels_last(x: Float[Tensor, "b c h w"]) -> Float[Tensor, "b h w c"]:
    return x.movedim(1, -1)  #! return x.movedim(-1, 1)  # E: shape


# run: channels_last(randn(2, 3, 5, 7))
