from jaxtyping import Float
from torch import Tensor


def project(x: Float[Tensor, "... d_in"], weight: Float[Tensor, "d_out d_in"]) -> Float[Tensor, "... d_out"]:
    return x @ weight.T  #! return x @ weight  # E: shape


# run: project(randn(2, 3, 5), randn(7, 5))
