from einops import rearrange
from jaxtyping import Float
from torch import Tensor


def patches(x: Float[Tensor, "b 3 32 32"]) -> Float[Tensor, "b 64 48"]:
    return rearrange(x, "b c (h p) (w q) -> b (h w) (p q c)", p=4, q=4)  #! return rearrange(x, "b c (h p) (w q) -> b (h w) (p q c)", p=5, q=5)  # E: shape


# run: patches(randn(2, 3, 32, 32))
