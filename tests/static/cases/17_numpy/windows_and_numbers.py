import numpy as np
from jaxtyping import Float


def windows(series: Float[np.ndarray, "time channels"], size: int) -> Float[np.ndarray, "n {size} channels"]:
    cut = np.lib.stride_tricks.sliding_window_view(series, size, axis=0)
    return cut.transpose(0, 2, 1)  #! return cut  # E: shape


def error(pred: Float[np.ndarray, "n h"], true: Float[np.ndarray, "n h"]) -> float:
    return float(np.abs(pred - true).mean())  #! return float(np.abs(pred - true).mean(axis=1))  # E: shape


# run: windows(np.random.rand(20, 3), 5), error(np.random.rand(7, 3), np.random.rand(7, 3))
