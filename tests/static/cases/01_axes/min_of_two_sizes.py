from jaxtyping import Float
from torch import Tensor


def overlap(a: Float[Tensor, "n d"], b: Float[Tensor, "m d"]) -> Float[Tensor, "min(n,m) d"]:
    k = min(a.shape[0], b.shape[0])
    return a[:k] - b[:k]  #! return (a[:k] - b[:k]).mean(0)  # E: shape


# run: overlap(randn(3, 5), randn(7, 5))
