import torch
from jaxtyping import Float
from torch import Tensor


class Replay:
    def __init__(self, capacity: int, obs_dim: int) -> None:
        self.obs = torch.zeros(capacity, obs_dim)
        self.rewards = torch.zeros(capacity)
        self.position = 0

    def add(self, obs: Float[Tensor, "n obs_dim"], rewards: Float[Tensor, "n"]) -> None:
        n = obs.shape[0]
        at = (torch.arange(n) + self.position) % self.obs.shape[0]
        self.obs[at] = obs
        self.rewards[at] = rewards  #! self.rewards[at] = obs  # E: shape
        self.position += n


# run: Replay(10, 3).add(randn(4, 3), randn(4))
