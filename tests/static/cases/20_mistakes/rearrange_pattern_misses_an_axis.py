from einops import rearrange
from jaxtyping import Float
from torch import Tensor


def to_tokens(image: Float[Tensor, "batch channels height width"]) -> Float[Tensor, "batch height*width channels"]:
    return rearrange(image, "b c h w -> b (h w) c")  #! return rearrange(image, "b c h -> b h c")  # E: shape


# run: to_tokens(randn(2, 3, 4, 5))
