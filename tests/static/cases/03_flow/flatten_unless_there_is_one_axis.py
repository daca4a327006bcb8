from jaxtyping import Float
from torch import Tensor


def project(x: Float[Tensor, "*batch vocab"], weight: Float[Tensor, "vocab dim"]) -> Float[Tensor, "rows dim"]:
    rows = x.flatten(0, -2) if x.ndim > 1 else x[None]
    return rows @ weight  #! return rows @ weight.T  # E: shape


# run: project(randn(2, 3, 5), randn(5, 7))
