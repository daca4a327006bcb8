from einops import repeat
from jaxtyping import Float
from torch import Tensor


def add_time(x: Float[Tensor, "b d"], steps: int) -> Float[Tensor, "b {steps} d"]:
    return repeat(x, "b d -> b t d", t=steps)  #! return repeat(x, "b d -> t b d", t=steps)  # E: shape


# run: add_time(randn(2, 5), 3)
