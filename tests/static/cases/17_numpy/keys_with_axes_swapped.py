import numpy as np
from jaxtyping import Float


def scores(q: Float[np.ndarray, "b n d"], k: Float[np.ndarray, "b m d"]) -> Float[np.ndarray, "b n m"]:
    return q @ k.swapaxes(-2, -1)  #! return q @ k  # E: shape


# run: scores(np.random.randn(2, 3, 4), np.random.randn(2, 5, 4))
