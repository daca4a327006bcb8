import numpy as np
from jaxtyping import Float


def pose(
    right: Float[np.ndarray, "3"], up: Float[np.ndarray, "3"], eye: Float[np.ndarray, "3"]
) -> Float[np.ndarray, "4 4"]:
    m = np.eye(4)
    m[:3, :2] = np.stack([right, up], axis=1)  #! m[:3, :2] = np.concatenate([right, up])  # E: shape
    m[:3, 3] = eye  #! m[3, :] = eye  # E: shape
    return m


# run: pose(np.ones(3), np.ones(3), np.ones(3))
