from einops import rearrange
from jaxtyping import Float
from torch import Tensor


def split_heads(
    x: Float[Tensor, "batch seq d_model"], heads: int
) -> Float[Tensor, "batch {heads} seq d_model//{heads}"]:
    return rearrange(x, "b s (h d) -> b h s d", h=heads)  #! return rearrange(x, "b s (h d) -> b s h d", h=heads)  # E: shape


# run: split_heads(randn(2, 5, 8), 2)
