import torch
from jaxtyping import Float
from torch import Tensor


def pool(x: Float[Tensor, "b s d"], w: Float[Tensor, "d"]) -> Float[Tensor, "b d"]:
    scores: Float[Tensor, "b s"] = x @ w
    weights: Float[Tensor, "b s 1"] = scores.softmax(1).unsqueeze(-1)  #! weights: Float[Tensor, "b s 1"] = scores.softmax(1)  # E: shape
    return (weights * x).sum(1)


# run: pool(randn(2, 3, 5), randn(5))
