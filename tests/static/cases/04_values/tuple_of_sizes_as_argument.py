import torch
from jaxtyping import Float
from torch import Tensor


def noise_like(x: Float[Tensor, "b c h w"], scale: float) -> Float[Tensor, "b 1 h w"]:
    shape = (x.shape[0], 1, *x.shape[2:])  #! shape = (x.shape[0], *x.shape[2:])
    return torch.randn(shape) * scale  # E: shape


# run: noise_like(randn(2, 3, 5, 7), 0.1)
