import torch
from jaxtyping import Float
from torch import Tensor
def lowpass(x: Float[Tensor, "b t"], cutoff: int) -> Float[Tensor, "b t"]:
    spec = torch.fft.rfft(x)
    spec[:, cutoff:] = 0
    return torch.fft.irfft(spec, n=x.shape[-1])  #! return torch.fft.ifft(spec, n=x.shape[-1])  # E: dtype


# run: lowpass(randn(2, 8), 2)
