from jaxtyping import Float
from torch import Tensor


def halves(x: Float[Tensor, "batch two_d"], w: Float[Tensor, "two_d d"]) -> Float[Tensor, "batch d"]:
    wide: Float[Tensor, "batch two_d"]
    narrow: Float[Tensor, "batch d"]
    wide, narrow = x, x @ w  #! narrow, wide = x, x @ w  # E: shape
    return narrow + wide.mean(-1, keepdim=True)  #! return wide + narrow.mean(-1, keepdim=True)  # e: shape


# run: halves(randn(3, 6), randn(6, 5))
# static: what a local variable is declared to be is not checked when run
