"""Grids, spectra, sets of indices and edited arrays in numpy, on their way to torch."""

import numpy as np
import torch
from jaxtyping import Bool, Complex, Float, Int
from torch import Tensor


def pixels(height: int, width: int) -> Float[Tensor, "{height*width} 2"]:
    grid = np.stack(np.mgrid[:height, :width], axis=-1).reshape(-1, 2)
    rows, columns = np.ogrid[:height, :width]
    assert (rows + columns).shape == np.shape(grid)[:1] or height * width == np.size(rows + columns)
    points = np.c_[grid[:, 0] / height, grid[:, 1] / width]
    steps = np.r_[0, np.cumsum(np.ones(width)), 1:4]
    assert np.ndim(steps) == 1 and np.size(steps) == width + 4
    return torch.from_numpy(points).float()


def filtered(signal: Float[np.ndarray, "batch time"], keep: int) -> Float[np.ndarray, "batch time"]:
    n = signal.shape[1]
    spectrum: Complex[np.ndarray, "batch half"] = np.fft.rfft(signal, axis=-1)
    frequencies = np.fft.rfftfreq(n, d=1 / n)
    spectrum = spectrum * (frequencies < keep) * np.hanning(len(frequencies))
    return np.fft.irfft(spectrum, n=n, axis=-1)


def blurred(image: Float[np.ndarray, "h w"]) -> Float[np.ndarray, "h w"]:
    centred = np.fft.fftshift(np.fft.fft2(image))
    distance = np.hypot(*np.indices(image.shape))
    return np.abs(np.fft.ifft2(np.fft.ifftshift(centred * np.exp(-distance))))


def others(features: Float[np.ndarray, "n d"], chosen: Int[np.ndarray, "k"]) -> Float[np.ndarray, "m d"]:
    rest = np.setdiff1d(np.arange(len(features)), chosen)
    assert len(np.union1d(rest, chosen)) == len(features)
    return np.delete(features, chosen, axis=0) + 0 * features[rest]


def leave_one_out(x: Float[np.ndarray, "n d"], y: Float[np.ndarray, "n"]) -> float:
    total = 0.0
    for i in range(len(x)):
        weights = np.linalg.lstsq(np.delete(x, i, axis=0), np.delete(y, i, axis=0), rcond=None)[0]
        total += float((x[i] @ weights - y[i]) ** 2)
    return total


def with_a_bias(x: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d+1"]:
    return np.insert(x, 0, 1.0, axis=1)


def pairs(points: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "p"]:
    i, j = np.triu_indices(len(points), k=1)
    every = np.subtract.outer(points[:, 0], points[:, 0])
    return np.abs(every[i, j]) + 0 * np.linalg.norm(points[i] - points[j], axis=1)


def block(matrix: Float[np.ndarray, "n n"], rows: list[int], columns: list[int]) -> Float[np.ndarray, "r c"]:
    largest = np.unravel_index(np.argmax(matrix), matrix.shape)
    assert matrix[largest] == np.maximum.reduce(np.maximum.accumulate(matrix, axis=1)[:, -1])
    return matrix[np.ix_(rows, columns)]


def ordered(scores: Float[np.ndarray, "n"], groups: Int[np.ndarray, "n"]) -> Int[np.ndarray, "n"]:
    return np.lexsort((-scores, groups))


def graded(x: Float[np.ndarray, "n"]) -> Float[np.ndarray, "n"]:
    low: Bool[np.ndarray, "n"] = x < 0
    return np.select([low, x > 1], [0 * x, np.ones_like(x)], default=0.5)


# run: pixels(4, 5); filtered(np.random.rand(2, 16), 3); blurred(np.random.rand(5, 6))
# run: others(np.random.rand(6, 2), np.array([1, 4])); leave_one_out(np.random.rand(6, 2), np.random.rand(6))
# run: with_a_bias(np.random.rand(3, 2)); pairs(np.random.rand(5, 2))
# run: block(np.random.rand(4, 4), [0, 2], [1, 2, 3]); graded(np.random.randn(7))
# run: ordered(np.random.rand(5), np.array([0, 1, 0, 1, 0]))
