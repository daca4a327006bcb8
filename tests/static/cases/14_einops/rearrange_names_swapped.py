from einops import rearrange
from jaxtyping import Float
from torch import Tensor


def split_heads(x: Float[Tensor, "b s h*d"], heads: int) -> Float[Tensor, "b h s d"]:
    return rearrange(x, "b s (h d) -> b h s d", h=heads)


def patches(x: Float[Tensor, "b c h w"]) -> Float[Tensor, "b h*w c"]:
    return rearrange(x, "b c h w -> b (h w) c")  #! return rearrange(x, "b c h w -> b (c w) h")  # E: shape


# run: patches(randn(2, 3, 5, 7))
