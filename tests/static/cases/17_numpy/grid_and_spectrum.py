import numpy as np
from jaxtyping import Complex, Float, Int


def pixels(height: int, width: int) -> Int[np.ndarray, "{height} {width} 2"]:
    return np.stack(np.mgrid[:height, :width], axis=-1)  #! return np.mgrid[:height, :width]  # E: shape


def spectrum(signal: Float[np.ndarray, "batch time"]) -> Complex[np.ndarray, "batch time//2+1"]:
    return np.fft.rfft(signal, axis=1)  #! return np.fft.rfft(signal, axis=0)  # E: shape


def with_a_bias(x: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d+1"]:
    return np.c_[x, np.ones(len(x))]  #! return np.c_[x, np.ones(x.shape[1])]  # E: shape


def but_one(x: Float[np.ndarray, "n d"], y: Float[np.ndarray, "n"], w: Float[np.ndarray, "d"]) -> float:
    left = np.delete(x, 0, axis=0) @ w - np.delete(y, 0, axis=0)  #! left = np.delete(x, 0, axis=0) @ w - y  # E: shape
    return float(np.abs(left).mean())


# run: pixels(4, 5), spectrum(np.random.rand(2, 9)), with_a_bias(np.random.rand(3, 2))
# run: but_one(np.random.rand(3, 2), np.random.rand(3), np.random.rand(2))
