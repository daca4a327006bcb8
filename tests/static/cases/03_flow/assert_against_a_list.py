import torch
from jaxtyping import Float
from torch import Tensor


def unit(x: Float[Tensor, "points 3"]) -> Float[Tensor, "points 3"]:
    n = x.shape[0]
    assert x.shape == (n, 3)  #! assert x.shape == [n, 3]  # E: shape
    return x / x.norm(dim=-1, keepdim=True)


# run: unit(randn(4, 3))
