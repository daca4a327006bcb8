import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor


def hz_to_mel(f):
    return 2595.0 * np.log10(1.0 + np.asarray(f) / 700.0)


def mel_to_hz(m):
    return 700.0 * (10.0 ** (m / 2595.0) - 1.0)


def filters(n_mels: int, n_fft: int, rate: int) -> Float[np.ndarray, "mels bins"]:
    freqs = np.linspace(0, rate / 2, n_fft // 2 + 1)
    points = mel_to_hz(np.linspace(hz_to_mel(0), hz_to_mel(rate / 2), n_mels + 2))
    lower = (freqs[None] - points[:-2, None]) / np.diff(points)[:-1, None]  #! lower = (freqs[None] - points[:-1, None]) / np.diff(points)[:-1, None]  # E: shape
    upper = (points[2:, None] - freqs[None]) / np.diff(points)[1:, None]
    return np.maximum(0, np.minimum(lower, upper)).astype(np.float32)


def mels(power: Float[Tensor, "batch 33 frames"]) -> Float[Tensor, "batch 11 frames"]:
    return torch.from_numpy(filters(11, 64, 800)) @ power


def between(low: Float[np.ndarray, "d"], high: Float[np.ndarray, "d"], n: int) -> Float[np.ndarray, "n d"]:
    return np.linspace(low, high, n)


# run: mels(randn(2, 33, 5)), between(np.zeros(3), np.ones(3), 4)
