import numpy as np
from jaxtyping import Float


def rotate(points: Float[np.ndarray, "n 3"], rotation: Float[np.ndarray, "3 3"]) -> Float[np.ndarray, "n 3"]:
    return points @ rotation.T  #! return rotation @ points  # E: shape


# run: rotate(np.random.randn(5, 3), np.eye(3))
