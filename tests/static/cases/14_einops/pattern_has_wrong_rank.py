from einops import rearrange
from jaxtyping import Float
from torch import Tensor


def to_tokens(x: Float[Tensor, "b c h w"]) -> Float[Tensor, "b h*w c"]:
    return rearrange(x, "b c h w -> b (h w) c")  #! return rearrange(x, "b c (h w) -> b (h w) c")  # E: shape


# run: to_tokens(randn(2, 3, 5, 7))
