from jaxtyping import Float
from torch import Tensor


def last(hidden: Float[Tensor, "batch time dim"]) -> Float[Tensor, "batch dim"]:
    return hidden[:, -1]  #! return hidden[:, :, -1]  # E: shape


# run: last(randn(2, 3, 5))
