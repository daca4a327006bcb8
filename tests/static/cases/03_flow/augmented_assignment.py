import torch
from jaxtyping import Float
from torch import Tensor


def accumulate(grads: list[Float[Tensor, "b d"]], weight: Float[Tensor, "d k"]) -> Float[Tensor, "b k"]:
    total = torch.zeros_like(grads[0])
    for g in grads:
        total += g  #! total += g.T  # E: shape
    return total @ weight


# run: accumulate([randn(3, 5), randn(3, 5)], randn(5, 7))
