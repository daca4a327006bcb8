import torch
from beartype import beartype
from jaxtyping import Float, jaxtyped
from torch import Tensor


@jaxtyped(typechecker=beartype)
def pairwise(a: Float[Tensor, "n d"], b: Float[Tensor, "m d"]) -> Float[Tensor, "n m"]:
    return torch.cdist(a, b)


@jaxtyped(typechecker=beartype)
def nearest(queries: Float[Tensor, "q d"], keys: Float[Tensor, "k d"]) -> Float[Tensor, "q"]:
    return pairwise(queries, keys).amin(-1)  #! return pairwise(keys, queries).amin(-1)  # E: shape


# run: nearest(randn(3, 5), randn(7, 5))
