from einops import rearrange
from jaxtyping import Float
from torch import Tensor


def shuffle(x: Float[Tensor, "b 48 h w"]) -> Float[Tensor, "b 48 h w"]:
    return rearrange(x, "b (g c) h w -> b (c g) h w", g=4)  #! return rearrange(x, "b (g c) h w -> b c g h w", g=4)  # E: shape


# run: shuffle(randn(2, 48, 5, 7))
