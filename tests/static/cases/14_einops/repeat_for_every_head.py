from einops import rearrange, repeat
from jaxtyping import Bool, Float
from torch import Tensor


def mask_scores(scores: Float[Tensor, "b*h q k"], mask: Bool[Tensor, "b k"], heads: int) -> Float[Tensor, "b*h q k"]:
    full = repeat(mask, "b k -> (b h) 1 k", h=heads)
    return scores.masked_fill(~full, -1e9)


def scores(q: Float[Tensor, "b h n d"], mask: Bool[Tensor, "b n"]) -> Float[Tensor, "b h n n"]:
    s = q @ q.mT
    keep = rearrange(mask, "b n -> b 1 1 n")  #! keep = rearrange(mask, "b n -> b n 1")
    return s.masked_fill(~keep, -1e9)  # E: shape


# run: scores(randn(2, 3, 5, 7), randn(2, 5) > 0)
