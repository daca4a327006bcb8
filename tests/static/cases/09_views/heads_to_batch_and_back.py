import torch
from jaxtyping import Float
from torch import Tensor


def fold(x: Float[Tensor, "b s d"], heads: int) -> Float[Tensor, "b*{heads} s d//{heads}"]:
    b, s, d = x.shape
    x = x.view(b, s, heads, d // heads)
    x = x.permute(0, 2, 1, 3)  #! x = x.permute(0, 1, 2, 3)
    return x.reshape(b * heads, s, d // heads)


def unfold(x: Float[Tensor, "bh s k"], heads: int) -> Float[Tensor, "bh//{heads} s k*{heads}"]:
    bh, s, k = x.shape
    x = x.view(bh // heads, heads, s, k).transpose(1, 2)
    return x.reshape(bh // heads, s, heads * k)  #! return x.reshape(bh // heads, heads, s * k)  # E: shape


# run: unfold(randn(6, 5, 7), 3)
