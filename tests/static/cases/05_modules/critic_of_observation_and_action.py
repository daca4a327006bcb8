import torch
from jaxtyping import Float
from torch import Tensor, nn


class Critic(nn.Module):
    def __init__(self, obs_dim: int, act_dim: int, hidden: int):
        super().__init__()
        self.first = nn.Linear(obs_dim + act_dim, hidden)
        self.last = nn.Linear(hidden + act_dim, 1)

    def forward(self, obs: Float[Tensor, "b obs_dim"], act: Float[Tensor, "b act_dim"]) -> Float[Tensor, "b"]:
        h = self.first(torch.cat([obs, act], dim=-1)).relu()
        return self.last(torch.cat([h, act], dim=-1)).squeeze(-1)  #! return self.last(torch.cat([h, obs], dim=-1)).squeeze(-1)  # E: shape


# run: Critic(5, 2, 7)(randn(3, 5), randn(3, 2))
