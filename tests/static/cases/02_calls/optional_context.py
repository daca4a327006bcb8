import torch
from jaxtyping import Float
from torch import Tensor


def scores(x: Float[Tensor, "b n d"], ctx: Float[Tensor, "b m d"] | None = None) -> Float[Tensor, "b n k"]:
    if ctx is None:
        ctx = x
    return x @ ctx.mT  #! return x @ ctx  # E: shape


# run: scores(randn(2, 3, 4), randn(2, 5, 4))
