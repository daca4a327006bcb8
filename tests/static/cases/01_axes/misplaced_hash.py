from jaxtyping import Float
from torch import Tensor


def scale(
    x: Float[Tensor, "batch dim"],
    gain: Float[Tensor, "#batch dim"],  #! gain: Float[Tensor, "batch# dim"],  # E: axes
) -> Float[Tensor, "batch dim"]:
    return x * gain


# run: scale(randn(3, 5), randn(1, 5))
