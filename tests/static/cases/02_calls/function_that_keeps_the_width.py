import torch
from jaxtyping import Float
from torch import Tensor, nn
from typing import Callable
def residual(fn: Callable[[Float[Tensor, "b d"]], Float[Tensor, "b d"]], x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
    return x + fn(x)
def widen(x: Float[Tensor, "b d"]) -> Float[Tensor, "b 2*d"]:
    return torch.cat([x, x], -1)
def keep(x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
    return x.relu()
def run(x: Float[Tensor, "n k"]) -> Float[Tensor, "n k"]:
    return residual(keep, x)  #! return residual(widen, x)  # E: shape


# run: run(randn(2,3))
