import torch
from jaxtyping import Float
from torch import Tensor, nn


class Critic(nn.Module):
    def __init__(self, state: int) -> None:
        super().__init__()
        self.value = nn.Sequential(nn.Linear(state, 64), nn.Tanh(), nn.Linear(64, 1))

    def forward(self, states: Float[Tensor, "batch state"]) -> Float[Tensor, "batch"]:
        return self.value(states).squeeze(-1)  #! return self.value(states)  # E: shape


# run: Critic(3)(randn(4, 3))
