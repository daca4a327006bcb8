from einops import rearrange
from jaxtyping import Float
from torch import Tensor


def windows(x: Float[Tensor, "b 56 56 c"]) -> Float[Tensor, "b*64 49 c"]:
    return rearrange(x, "b (h p) (w q) c -> (b h w) (p q) c", p=7, q=7)  #! return rearrange(x, "b (h p) (w q) c -> (b p q) (h w) c", p=7, q=7)  # E: shape


# run: windows(randn(2, 56, 56, 3))
