import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.distributions import Categorical


class ActorCritic(nn.Module):
    def __init__(self, obs: int, actions: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, 16), nn.Tanh())
        self.policy = nn.Linear(16, actions)
        self.value = nn.Linear(16, 1)

    def forward(self, x: Float[Tensor, "*b obs"]) -> tuple[Categorical, Float[Tensor, "*b"]]:
        h = self.body(x)
        return Categorical(logits=self.policy(h)), self.value(h).squeeze(-1)


def surrogate(
    model: ActorCritic,
    observed: Float[Tensor, "steps envs obs"],
    taken: Int[Tensor, "steps envs"],
    before: Float[Tensor, "steps envs"],
    advantage: Float[Tensor, "steps envs"],
) -> Float[Tensor, ""]:
    policy, _ = model(observed.flatten(0, 1))
    now = policy.log_prob(taken.flatten())  #! now = policy.log_prob(taken)  # E: shape
    ratio = (now - before.flatten()).exp()
    return -(ratio * advantage.flatten()).mean() - 0.01 * policy.entropy().mean()


# run: surrogate(ActorCritic(4, 3), randn(5, 2, 4), randint(0, 3, (5, 2)), randn(5, 2), randn(5, 2))
