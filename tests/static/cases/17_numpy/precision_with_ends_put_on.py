import numpy as np
from jaxtyping import Float


def envelope(precision: Float[np.ndarray, "n"]) -> Float[np.ndarray, "n+2"]:
    padded = np.concatenate([[1.0], precision, [0.0]])  #! padded = np.concatenate([1.0, precision, 0.0])  # E: shape
    return np.maximum.accumulate(padded[::-1])[::-1]


# run: envelope(np.random.rand(5))
