import torch
from jaxtyping import Float
from torch import Tensor


class Replay:
    def __init__(self, capacity: int, obs_dim: int, act_dim: int) -> None:
        self.observations = torch.zeros(capacity, obs_dim)
        self.actions = torch.zeros(capacity, act_dim)
        self.capacity = capacity
        self.position = 0

    def add(self, obs: Float[Tensor, "obs_dim"], action: Float[Tensor, "act_dim"]) -> None:
        self.observations[self.position] = obs
        self.actions[self.position] = action  #! self.actions[self.position] = obs  # E: shape
        self.position = (self.position + 1) % self.capacity


# run: Replay(8, 3, 2).add(torch.ones(3), torch.ones(2))
