import torch
from jaxtyping import Float
from torch import Tensor


def hyper_layer(
    x: Float[Tensor, "tasks n d"], w: Float[Tensor, "tasks d k"]
) -> Float[Tensor, "tasks n k"]:
    return x @ w  #! return x @ w[0].T  # E: shape


# run: hyper_layer(randn(2, 3, 5), randn(2, 5, 7))
