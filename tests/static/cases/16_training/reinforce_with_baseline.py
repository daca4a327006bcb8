import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class Policy(nn.Module):
    def __init__(self, obs: int, actions: int) -> None:
        super().__init__()
        self.pi = nn.Linear(obs, actions)
        self.v = nn.Linear(obs, 1)

    def forward(self, x: Float[Tensor, "t obs"]) -> tuple[Float[Tensor, "t actions"], Float[Tensor, "t 1"]]:
        return self.pi(x).log_softmax(-1), self.v(x)


def loss(policy: Policy, obs: Float[Tensor, "t obs"], act: Int[Tensor, "t"], ret: Float[Tensor, "t"]) -> Float[Tensor, ""]:
    logp, value = policy(obs)
    advantage = ret - value[:, 0]  #! advantage = ret - value  # E: broadcast
    chosen = logp.gather(1, act[:, None])[:, 0]
    return -(chosen * advantage.detach()).mean() + advantage.pow(2).mean()


# quiet: everything broadcasts to (t, t)
# run: loss(Policy(5, 3), randn(7, 5), randint(0, 3, (7,)), randn(7))
