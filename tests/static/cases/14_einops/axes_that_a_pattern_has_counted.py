from einops import rearrange
from jaxtyping import Float
from torch import Tensor


def swapped(x: Tensor) -> Float[Tensor, "batch dim seq"]:
    turned = rearrange(x, "b n d -> b d n")
    return turned + x.mT  #! return (turned + x.mT)[:, None] + x[None]  # E: shape


# run: swapped(randn(2, 3, 5))
