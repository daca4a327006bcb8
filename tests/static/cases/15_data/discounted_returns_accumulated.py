from itertools import accumulate

import torch
from jaxtyping import Float
from torch import Tensor


def returns(rewards: Float[Tensor, "batch time"], gamma: float) -> Float[Tensor, "batch time"]:
    backwards = accumulate(rewards.flip(1).unbind(1), lambda later, now: now + gamma * later)
    return torch.stack(list(backwards), dim=1).flip(1)  #! return torch.stack(list(backwards)).flip(1)  # E: shape


# run: returns(torch.randn(3, 5), 0.9)
