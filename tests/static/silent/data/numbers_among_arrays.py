"""Numbers that numpy joins with arrays: where it makes arrays of them, and where an axis is not asked for."""
import numpy as np
from jaxtyping import Float


def with_ends(x: Float[np.ndarray, "n"]) -> Float[np.ndarray, "n+2"]:
    return np.hstack([0.0, x, 1.0])


def summary(x: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "3"]:
    return np.stack([x.mean(), x.max(), 1])


def flat(x: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "m"]:
    return np.concatenate((1.0, x), axis=None)


def column(low: float, high: float) -> Float[np.ndarray, "2 1"]:
    return np.vstack((low, high))


def rows(x: Float[np.ndarray, "n"]) -> Float[np.ndarray, "2 n"]:
    return np.vstack((x, np.full_like(x, len(x))))


# run: with_ends(np.random.rand(5)); summary(np.random.rand(5, 3)); flat(np.random.rand(5, 3))
# run: column(0.5, 1.5); rows(np.random.rand(5))
