"""A list of numbers put before a cumulative sum makes it longer by one."""

import numpy as np
from jaxtyping import Float, Int


def area(hits: Int[np.ndarray, "n"], scores: Float[np.ndarray, "n"]) -> float:
    found = np.cumsum(hits[np.argsort(-scores)])
    recall = np.concatenate([[0], found]) / found[-1]
    precision = found / np.arange(1, len(found) + 1)
    return float(np.sum(np.diff(recall) * precision))  #! return float(np.sum(recall * precision))  # E: shape


# run: area(np.array([1, 0, 1]), np.random.rand(3))
