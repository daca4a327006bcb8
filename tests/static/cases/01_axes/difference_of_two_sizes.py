import torch
from jaxtyping import Float
from torch import Tensor


def valid_conv(x: Float[Tensor, "n"], kernel: Float[Tensor, "k"]) -> Float[Tensor, "n-k+1"]:
    windows = x.unfold(0, kernel.shape[0], 1)
    return windows @ kernel  #! return windows.T @ kernel  # E: shape


# run: valid_conv(randn(11), randn(3))
