import numpy as np
from jaxtyping import Bool, Float


def apply(image: Float[np.ndarray, "h w 3"], mask: Bool[np.ndarray, "h w"]) -> Float[np.ndarray, "h w 3"]:
    return image * mask[..., np.newaxis]  #! return image * mask  # E: shape


# run: apply(np.random.rand(5, 7, 3), np.ones((5, 7), dtype=bool))
