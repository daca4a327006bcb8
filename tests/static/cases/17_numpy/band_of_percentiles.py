import numpy as np
from jaxtyping import Float


def band(runs: Float[np.ndarray, "runs steps"]) -> Float[np.ndarray, "2 steps"]:
    return np.percentile(runs, [5, 95], axis=0)  #! return np.percentile(runs, [5, 95], axis=1)  # E: shape


# run: band(np.random.randn(4, 7))
