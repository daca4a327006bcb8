import numpy as np
from jaxtyping import Float


def grid(h: int, w: int) -> Float[np.ndarray, "{h} {w} 2"]:
    y, x = np.meshgrid(np.linspace(0, 1, h), np.linspace(0, 1, w), indexing="ij")
    return np.stack([y, x], axis=-1)  #! return np.stack([y, x], axis=0)  # E: shape


# run: grid(3, 5)
