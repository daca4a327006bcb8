import numpy as np
from jaxtyping import Float


def directions(x: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "d d"]:
    cov = np.cov(x, rowvar=False)  #! cov = np.cov(x)
    return np.linalg.eigh(cov)[1]  # E: shape


# run: directions(np.random.randn(9, 3))
