"""The magnitude of a short-time spectrum, not the spectrum itself."""

import torch
from jaxtyping import Float
from torch import Tensor


def magnitude(x: Float[Tensor, "batch time"]) -> Float[Tensor, "batch 257 frames"]:
    spectrum = torch.stft(x, 512, hop_length=128, window=torch.hann_window(512), return_complex=True)
    return spectrum.abs()  #! return spectrum  # E: dtype


# run: magnitude(torch.rand(2, 2048))
