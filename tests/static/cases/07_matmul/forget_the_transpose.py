from jaxtyping import Float
from torch import Tensor


def similarity(a: Float[Tensor, "n d"], b: Float[Tensor, "m d"]) -> Float[Tensor, "n m"]:
    return a @ b.T  #! return a @ b  # E: shape


# run: similarity(randn(3, 5), randn(7, 5))
