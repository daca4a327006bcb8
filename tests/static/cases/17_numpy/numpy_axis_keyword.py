import numpy as np
from jaxtyping import Float


def standardise(x: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
    mean = x.mean(axis=0)
    std = x.std(axis=0)  #! std = x.std(axis=1)
    return (x - mean) / std  # E: shape


# run: standardise(np.random.randn(3, 5))
