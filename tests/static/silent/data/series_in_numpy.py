"""Series, signals and bins in numpy, with numpy's own numbers, on their way to torch."""

import numpy as np
import torch
from jaxtyping import Float, Float32, Float64, Int
from torch import Tensor


def average_precision(scores: Float[np.ndarray, "n"], hits: Int[np.ndarray, "n"]) -> float:
    order = np.argsort(-scores)
    found = np.cumsum(hits[order])
    recall = np.concatenate([[0.0], found / max(found[-1], 1)])
    precision = np.concatenate([[1.0], found / np.arange(1, len(found) + 1)])
    assert recall.shape == precision.shape == (len(scores) + 1,)
    return float(np.sum(np.diff(recall) * precision[1:]))


def resampled(values: Float[np.ndarray, "n"], length: int) -> Float64[np.ndarray, "{length}"]:
    here, there = np.linspace(0, 1, len(values)), np.linspace(0, 1, length)
    return np.interp(there, here, values)


def smoothed(signal: Float[np.ndarray, "n"], width: int) -> Float[np.ndarray, "n"]:
    kernel = np.ones(width) / width
    whole = np.convolve(signal, kernel, "full")
    lag = np.correlate(signal, kernel, mode="valid")
    start = (width - 1) // 2
    return whole[start : start + len(signal)] + 0 * lag.mean()


def standardised(images: Float[np.ndarray, "b h w c"]) -> Float32[Tensor, "b c h w"]:
    mean, std = np.float32(0.5), np.float32(images.std())
    scaled = (images.astype(np.float32) / np.float32(255) - mean) / std
    turned = np.rot90(np.rot90(scaled, axes=(1, 2)), k=-1, axes=(1, 2))
    return torch.from_numpy(turned.copy()).permute(0, 3, 1, 2) * np.float32(2)


def spectrum(signal: Float[np.ndarray, "n"]) -> tuple[Float[np.ndarray, "m"], Float[np.ndarray, "m"]]:
    waves = np.fft.rfft(signal)
    slope = np.gradient(np.abs(waves))
    counts, edges = np.histogram(signal, bins=8)
    assert len(edges) == len(counts) + 1
    return np.real(waves * np.conj(waves)) + 0 * slope, np.angle(waves)


def scheduled(steps: int, kind: type = np.float64) -> Float[Tensor, "{steps}"]:
    betas = np.geomspace(1e-4, 2e-2, steps, dtype=kind)
    kept = np.append(kind(1.0), np.cumprod(1 - betas)[:-1])
    assert kept.shape == betas.shape
    first, last = np.int64(0), np.int64(steps) - 1
    assert kept[first] == 1 and kept[last] <= 1
    return torch.tensor(kept, dtype=torch.float32) + torch.zeros(int(np.int64(steps)))


# run: average_precision(np.random.rand(5), np.array([1, 0, 1, 0, 1]))
# run: resampled(np.random.rand(5), 9); smoothed(np.random.rand(8), 3); spectrum(np.random.rand(9))
# run: standardised(np.random.rand(2, 4, 5, 3)); scheduled(6); scheduled(6, np.float32)
