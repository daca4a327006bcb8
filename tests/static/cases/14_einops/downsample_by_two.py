from einops import reduce
from jaxtyping import Float
from torch import Tensor


def half(x: Float[Tensor, "b c 32 32"]) -> Float[Tensor, "b c 16 16"]:
    return reduce(x, "b c (h 2) (w 2) -> b c h w", "max")  #! return reduce(x, "b c (2 h) (w 4) -> b c h w", "max")  # E: shape


# run: half(randn(2, 3, 32, 32))
