import numpy as np
from jaxtyping import Float


def best(scores: Float[np.ndarray, "n c"], feats: Float[np.ndarray, "n c d"]) -> Float[np.ndarray, "n 1 d"]:
    top = scores.argmax(axis=1, keepdims=True)
    return np.take_along_axis(feats, top[..., None], axis=1)  #! return np.take_along_axis(feats, top, axis=1)  # E: shape


# run: best(np.random.randn(4, 3), np.random.randn(4, 3, 5))
