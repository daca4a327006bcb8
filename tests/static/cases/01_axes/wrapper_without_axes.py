from jaxtyping import Float
from torch import Tensor


def double(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:  #! def double(x: Float[Tensor]) -> Float[Tensor, "..."]:  # E: axes
    return 2 * x


# run: double(randn(3))
