import torch
from jaxtyping import Float
from torch import Tensor


def low_pass(x: Float[Tensor, "b 256"], keep: Float[Tensor, "129"]) -> Float[Tensor, "b 256"]:
    spec = torch.fft.rfft(x, dim=-1)
    return torch.fft.irfft(spec * keep, n=256, dim=-1)  #! return torch.fft.irfft(spec * keep, n=129, dim=-1)  # E: shape


# run: low_pass(randn(2, 256), randn(129))
