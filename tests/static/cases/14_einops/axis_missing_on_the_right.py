from einops import rearrange
from jaxtyping import Float
from torch import Tensor


def flat(x: Float[Tensor, "b t j c"]) -> Float[Tensor, "b t j*c"]:
    return rearrange(x, "b t j c -> b t (j c)")  #! return rearrange(x, "b t j c -> b t j")  # E: einops|shape


# run: flat(randn(2, 3, 5, 7))
