from jaxtyping import Float
from torch import Tensor


def weighted(
    x: Float[Tensor, "*#batch d"], weight: Float[Tensor, "*#batch d"]
) -> Float[Tensor, "*batch"]:
    return (x * weight).sum(-1)  #! return x * weight  # E: shape


# run: weighted(randn(2, 3, 5), randn(3, 5))
