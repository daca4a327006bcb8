import torch
from jaxtyping import Float
from torch import Tensor


@torch.compile(dynamic=True)
def rms_norm(x: Float[Tensor, "*batch d"], gain: Float[Tensor, "d"]) -> Float[Tensor, "*batch d"]:
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * gain


def block(x: Float[Tensor, "b s d"], gain: Float[Tensor, "d"], w: Float[Tensor, "h d"]) -> Float[Tensor, "b s h"]:
    return rms_norm(x, gain) @ w.T  #! return rms_norm(x @ w.T, gain)  # E: shape


# run: block(randn(2, 3, 5), randn(5), randn(7, 5))
