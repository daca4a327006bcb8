import torch
from jaxtyping import Float
from torch import Tensor


@torch.no_grad()
def ema(target: Float[Tensor, "d k"], online: Float[Tensor, "d k"], decay: float) -> Float[Tensor, "d k"]:
    return decay * target + (1 - decay) * online


def step(target: Float[Tensor, "rows cols"], online: Float[Tensor, "rows cols"]) -> Float[Tensor, "rows cols"]:
    return ema(target, online, 0.99)  #! return ema(target, online.t(), 0.99)  # E: shape


# run: step(randn(3, 5), randn(3, 5))
