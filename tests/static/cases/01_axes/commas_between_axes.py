from jaxtyping import Float
from torch import Tensor


def center(x: Float[Tensor, "batch dim"]) -> Float[Tensor, "batch dim"]:  #! def center(x: Float[Tensor, "batch, dim"]) -> Float[Tensor, "batch dim"]:  # E: axes
    return x - x.mean(0)


# run: center(randn(3, 5))
