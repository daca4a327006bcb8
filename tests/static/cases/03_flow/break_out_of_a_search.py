import torch
from jaxtyping import Float
from torch import Tensor


def line_search(x: Float[Tensor, "d"], direction: Float[Tensor, "d"], a: Float[Tensor, "d d"]) -> Float[Tensor, "d"]:
    step = 1.0
    best = x
    for _ in range(20):
        trial = x + step * direction  #! trial = x[None] + step * direction
        if trial @ a @ trial < x @ a @ x:  # E: shape
            best = trial
            break
        step *= 0.5
    return best


# run: line_search(randn(3), randn(3), torch.eye(3))
