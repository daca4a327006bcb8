import numpy as np
from jaxtyping import Float


def centred(x: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
    return x - x.mean(axis=1, keepdims=True)  #! return x - x.mean(axis=1)  # E: shape


# run: centred(np.random.rand(4, 3))
