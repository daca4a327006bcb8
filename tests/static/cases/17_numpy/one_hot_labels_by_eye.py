import numpy as np
from jaxtyping import Float, Int


def one_hot(labels: Int[np.ndarray, "n"], classes: int) -> Float[np.ndarray, "n {classes}"]:
    return np.eye(classes)[labels]  #! return np.eye(classes)[:, labels]  # E: shape


# run: one_hot(np.array([0, 1, 2]), 5)
