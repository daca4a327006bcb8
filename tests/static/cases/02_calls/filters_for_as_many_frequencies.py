import torch
from jaxtyping import Float
from torch import Tensor


def spectrum(wave: Float[Tensor, "b samples"], n_fft: int = 64) -> Float[Tensor, "b freq"]:
    frames = torch.stft(wave, n_fft, hop_length=16, window=torch.hann_window(n_fft), return_complex=True)
    return (frames.abs() ** 2).mean(dim=-1)


def bank(filters, freqs):
    centers = torch.linspace(0, freqs - 1, filters)
    return torch.relu(1 - (torch.arange(freqs) - centers[:, None]).abs() / 4)


def main():
    return spectrum(torch.randn(3, 400)) @ bank(20, 33).T  #! return spectrum(torch.randn(3, 400)) @ bank(20, 65).T  # E: shape


# run: main()
