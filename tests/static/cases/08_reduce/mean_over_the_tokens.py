from einops import rearrange
from jaxtyping import Float
from torch import Tensor


def pooled(x: Float[Tensor, "b c h w"]) -> Float[Tensor, "b c"]:
    tokens = rearrange(x, "b c h w -> b (h w) c")  #! tokens = rearrange(x, "b c h w -> b c (h w)")
    return tokens.mean(1)  # E: shape


# run: pooled(torch.randn(2, 3, 4, 5))
