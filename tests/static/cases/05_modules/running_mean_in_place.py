import torch
from jaxtyping import Float
from torch import Tensor


class RunningMean:
    def __init__(self, dim: int) -> None:
        self.count = 0
        self.mean = torch.zeros(dim)

    def update(self, obs: Float[Tensor, "env dim"]) -> None:
        self.count += len(obs)
        delta = obs.mean(0) - self.mean  #! delta = obs.mean(1) - self.mean  # E: shape
        self.mean += delta * (len(obs) / self.count)

    def __call__(self, obs: Float[Tensor, "env dim"]) -> Float[Tensor, "env dim"]:
        return obs - self.mean


# run: RunningMean(3).update(randn(4, 3))
