import torch
from jaxtyping import Float
from torch import Tensor, nn


class Critic(nn.Module):
    def __init__(self, obs_dim: int, act_dim: int):
        super().__init__()
        self.net = nn.Linear(obs_dim + act_dim, 1)

    def forward(self, obs: Float[Tensor, "b obs_dim"], act: Float[Tensor, "b act_dim"]) -> Float[Tensor, "b"]:
        return self.net(torch.cat([obs, act], dim=-1)).squeeze(-1)


class Agent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.critic = Critic(17, 6)

    def value(self, obs: Float[Tensor, "b 17"], act: Float[Tensor, "b 6"]) -> Float[Tensor, "b"]:
        return self.critic(obs, act)  #! return self.critic(act, obs)  # E: shape


# run: Agent().value(randn(4, 17), randn(4, 6))
# quiet: the two are joined into as many features either way
