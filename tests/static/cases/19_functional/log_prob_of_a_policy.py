from jaxtyping import Float
from torch import Tensor, nn
from torch.distributions import Normal


class Actor(nn.Module):
    def __init__(self, obs_dim: int, act_dim: int) -> None:
        super().__init__()
        self.mean = nn.Linear(obs_dim, act_dim)
        self.log_std = nn.Linear(obs_dim, act_dim)

    def forward(self, obs: Float[Tensor, "batch obs_dim"]) -> tuple[Float[Tensor, "batch act_dim"], Float[Tensor, "batch"]]:
        policy = Normal(self.mean(obs), self.log_std(obs).exp())
        action = policy.rsample()
        return action, policy.log_prob(action).sum(-1)  #! return action, policy.log_prob(action)  # E: shape


# run: Actor(5, 3)(randn(4, 5))
