from jaxtyping import Float
from torch import Tensor


def double(x: Float[Tensor, "batch seq"]) -> Float[Tensor, "batch seq"]:  #! def double(x: Float[Tensor, "batch, seq"]) -> Float[Tensor, "batch seq"]:  # E: axes
    return 2 * x


# run: double(randn(2, 3))
