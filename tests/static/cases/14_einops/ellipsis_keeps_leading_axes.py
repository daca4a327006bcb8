from einops import rearrange
from jaxtyping import Float
from torch import Tensor


def fold_heads(x: Float[Tensor, "*batch h s d"]) -> Float[Tensor, "*batch s h*d"]:
    return rearrange(x, "... h s d -> ... s (h d)")  #! return rearrange(x, "... h s d -> ... s (s d)")  # E: einops|shape


# run: fold_heads(randn(2, 3, 5, 7))
