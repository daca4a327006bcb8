import numpy as np
from jaxtyping import Float


def homogeneous(points: Float[np.ndarray, "n 3"]) -> Float[np.ndarray, "n 4"]:
    ones = np.ones((points.shape[0], 1))
    return np.concatenate([points, ones], axis=1)  #! return np.concatenate([points, ones], axis=0)  # E: shape


# run: homogeneous(np.random.randn(5, 3))
