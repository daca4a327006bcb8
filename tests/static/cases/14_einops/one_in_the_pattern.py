from einops import rearrange
from jaxtyping import Float
from torch import Tensor


def mask_for_heads(mask: Float[Tensor, "b s"], scores: Float[Tensor, "b h s t"]) -> Float[Tensor, "b h s t"]:
    return scores * rearrange(mask, "b s -> b 1 s 1")  #! return scores * rearrange(mask, "b s -> b s 1 1")  # E: shape


# run: mask_for_heads(randn(2, 5), randn(2, 3, 5, 7))
