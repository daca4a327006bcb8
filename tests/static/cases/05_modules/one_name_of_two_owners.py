"""An axis of the signature that meets another axis of self is not the axis of self of its own name."""

import torch
from jaxtyping import Float
from torch import Tensor


class Envs:
    def __init__(self, envs: int, observed: int) -> None:
        self.state = torch.zeros(envs, observed)

    def step(self, action: Float[Tensor, "envs"]) -> Float[Tensor, "envs observed"]:
        moved = self.state + action[:, None]  #! moved = self.state + action
        return moved  #! return moved  # E: shape


# run: Envs(3, 4).step(randn(3))
