from einops import repeat
from jaxtyping import Float
from torch import Tensor


def tile(queries: Float[Tensor, "n d"], x: Float[Tensor, "b s d"]) -> Float[Tensor, "b n d"]:
    return repeat(queries, "n d -> b n d", b=x.shape[0])  #! return repeat(queries, "n d -> b n d")  # E: einops|shape


# run: tile(randn(3, 5), randn(2, 7, 5))
