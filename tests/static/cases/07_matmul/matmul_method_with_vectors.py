from jaxtyping import Float
from torch import Tensor


def quadratic(x: Float[Tensor, "n d"], a: Float[Tensor, "d d"], v: Float[Tensor, "n"]) -> Float[Tensor, "d"]:
    return x.t().matmul(v)  #! return x.matmul(v)  # E: shape


# run: quadratic(randn(3, 5), randn(5, 5), randn(3))
