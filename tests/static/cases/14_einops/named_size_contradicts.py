from einops import rearrange
from jaxtyping import Float
from torch import Tensor


def group(x: Float[Tensor, "b 96 t"]) -> Float[Tensor, "b 4 24 t"]:
    return rearrange(x, "b (g c) t -> b g c t", g=4)  #! return rearrange(x, "b (g c) t -> b g c t", c=4)  # E: shape


# run: group(randn(2, 96, 5))
