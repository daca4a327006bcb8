import math

from einops import einsum
from jaxtyping import Bool, Float
from torch import Tensor


def scores(
    q: Float[Tensor, "... queries d"],
    k: Float[Tensor, "... keys d"],
    mask: Bool[Tensor, "... queries keys"],  #! mask: Bool[Tensor, "... keys queries"],
) -> Float[Tensor, "... queries keys"]:
    logits = einsum(q, k, "... queries d, ... keys d -> ... queries keys") / math.sqrt(q.shape[-1])
    return logits.masked_fill(~mask, -1e9)  #! return logits.masked_fill(~mask, -1e9)  # E: shape


# run: scores(randn(2, 3, 5), randn(2, 7, 5), randn(2, 3, 7) > 0)
