from jaxtyping import Float
from torch import Tensor


def normalised(weights: Float[Tensor, "*batch samples"]) -> Float[Tensor, "*batch samples"]:
    total = weights.sum(dim=-1, keepdim=True)
    return weights / total


def expected(weights: Float[Tensor, "*batch samples"], t: Float[Tensor, "*batch samples"]) -> Float[Tensor, "*batch"]:
    return (normalised(weights) * t).sum(-1)  #! return (normalised(weights) * t).sum(0)  # E: shape


# run: expected(randn(2, 3, 5).abs(), randn(2, 3, 5))
