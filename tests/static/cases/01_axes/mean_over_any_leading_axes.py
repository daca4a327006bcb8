from jaxtyping import Float
from torch import Tensor


def channel_mean(x: Float[Tensor, "*lead time channel"]) -> Float[Tensor, "*lead channel"]:
    return x.mean(dim=-2)  #! return x.mean(dim=-1)  # E: shape


# run: channel_mean(randn(2, 3, 5, 7))
