from jaxtyping import Float
from rl.base import Critic
from torch import Tensor, nn


class MLPCritic(Critic):
    def __init__(self, obs: int) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(obs, 64), nn.Tanh(), nn.Linear(64, 1))

    def value(self, obs: Float[Tensor, "envs obs"]) -> Float[Tensor, "envs"]:
        return self.net(obs).squeeze(-1)  #! return self.net(obs)  # E: shape


def loss(critic: MLPCritic, o: Float[Tensor, "n d"], p: Float[Tensor, "n d"], r: Float[Tensor, "n"]) -> Float[Tensor, ""]:
    return critic.td_error(o, p, r).square().mean()


# run: loss(MLPCritic(5), randn(3, 5), randn(3, 5), randn(3))
