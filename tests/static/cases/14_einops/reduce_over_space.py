from einops import reduce
from jaxtyping import Float
from torch import Tensor


def pooled(x: Float[Tensor, "b c h w"]) -> Float[Tensor, "b c"]:
    return reduce(x, "b c h w -> b c", "mean")  #! return reduce(x, "b c h w -> b h", "mean")  # E: shape


# run: pooled(randn(2, 3, 5, 7))
