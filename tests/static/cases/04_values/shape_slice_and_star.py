from jaxtyping import Float
from torch import Tensor


def split_last(x: Float[Tensor, "*lead d"], parts: int) -> Float[Tensor, "*lead {parts} d//{parts}"]:
    *lead, d = x.shape
    return x.reshape(*lead, parts, d // parts)  #! return x.reshape(*lead, d // parts, parts)  # E: shape


def flatten_lead(x: Float[Tensor, "a b d"]) -> Float[Tensor, "a*b d"]:
    return x.reshape(-1, x.shape[-1])


# run: split_last(randn(2, 3, 15), 5)
