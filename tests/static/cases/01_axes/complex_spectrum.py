import torch
from jaxtyping import Complex, Float
from torch import Tensor


def spectrum(x: Float[Tensor, "b t"]) -> Complex[Tensor, "b t"]:
    return torch.fft.fft(x)


def power(x: Float[Tensor, "b t"]) -> Float[Tensor, "b t"]:
    return spectrum(x).abs().square()  #! return spectrum(x).square()  # E: dtype


# run: power(randn(2, 5))
