import numpy as np
from jaxtyping import Float, Int


def confusion(truth: Int[np.ndarray, "n"], pred: Int[np.ndarray, "n"], classes: int) -> Float[np.ndarray, "{classes} {classes}"]:
    table = np.zeros((classes, classes))
    for t, p in zip(truth, pred):
        table[t, p] += 1
    return table / table.sum(axis=1, keepdims=True).clip(1)  #! return table.sum(axis=1, keepdims=True).clip(1)  # E: shape


# run: confusion(np.array([0, 1, 2]), np.array([0, 2, 1]), 3)
