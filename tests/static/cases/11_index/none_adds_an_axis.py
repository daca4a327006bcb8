import torch
from jaxtyping import Float
from torch import Tensor


def distances(a: Float[Tensor, "n d"], b: Float[Tensor, "m d"]) -> Float[Tensor, "n m"]:
    return (a[:, None] - b[None]).square().sum(-1).sqrt()  #! return (a[None] - b[:, None]).square().sum(-1).sqrt()  # E: shape


# run: distances(randn(3, 5), randn(7, 5))
