"""As many values as points; what is read between them has the axes of the places asked for."""

import numpy as np
from jaxtyping import Float


def warped(
    curve: Float[np.ndarray, "n"], times: Float[np.ndarray, "n"], asked: Float[np.ndarray, "k m"]
) -> Float[np.ndarray, "k m"]:
    return np.interp(asked, times, curve)  #! return np.interp(times, asked[0], curve)  # E: shape


# run: warped(np.arange(4.0), np.arange(4.0), np.random.rand(3, 5))
