import numpy as np
from jaxtyping import Float, Int


def nearest(x: Float[np.ndarray, "n d"], centres: Float[np.ndarray, "k d"]) -> Int[np.ndarray, "n"]:
    away = np.square(x[:, None] - centres[None]).sum(axis=2)
    return away.argmin(axis=1)  #! return away.min(axis=1)  # E: dtype


# run: nearest(np.random.rand(5, 3), np.random.rand(2, 3))
