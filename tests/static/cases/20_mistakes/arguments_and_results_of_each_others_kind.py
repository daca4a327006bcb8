from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn


class Env:
    def __init__(self, obs: int) -> None:
        self.obs = obs

    def reset(self) -> Float[Tensor, "obs"]:
        return torch.zeros(self.obs)


class Agent(nn.Module):
    def __init__(self, obs: int) -> None:
        super().__init__()
        self.critic = nn.Linear(obs, 1)

    def value(self, obs: Float[Tensor, "t obs"]) -> Float[Tensor, "t"]:
        return self.critic(obs).squeeze(-1)


@dataclass
class Rollout:
    obs: Float[Tensor, "t obs"]


def collect(agent: Agent, env: Env, steps: int) -> tuple[Rollout, Float[Tensor, "t"]]:
    rollout = Rollout(torch.stack([env.reset() for _ in range(steps)]))
    last = agent.value(rollout.obs)
    return rollout, last  #! return last, rollout  # E: shape


def weighted(rollout: Rollout, weight: Float[Tensor, "t"]) -> Float[Tensor, ""]:
    for row in rollout.obs:
        weight = weight * row.sum()
    return weight.sum()


def main() -> None:
    env, agent = Env(3), Agent(3)
    rollout, last = collect(agent, env, 4)  #! rollout, last = collect(env, agent, 4)  # E: shape
    weighted(rollout, last)


# run: main()
