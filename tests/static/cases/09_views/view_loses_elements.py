import torch
from jaxtyping import Float
from torch import Tensor


def merge(x: Float[Tensor, "b h s d"]) -> Float[Tensor, "b s h*d"]:
    b, h, s, d = x.shape
    x = x.transpose(1, 2).contiguous()
    return x.view(b, s, h * d)  #! return x.view(b, s, d)  # E: shape


# run: merge(randn(2, 3, 5, 7))
