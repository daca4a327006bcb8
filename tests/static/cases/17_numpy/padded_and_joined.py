import numpy as np
from jaxtyping import Float


def framed(x: Float[np.ndarray, "c t"], pad: int) -> Float[np.ndarray, "c t+2*{pad}"]:
    return np.pad(x, ((0, 0), (pad, pad)))  #! return np.pad(x, ((pad, pad), (0, 0)))  # E: shape


# run: framed(np.zeros((2, 5)), 3)
