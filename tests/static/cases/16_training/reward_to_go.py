import torch
from jaxtyping import Float
from torch import Tensor


def reward_to_go(rewards: Float[Tensor, "envs steps"], gamma: float) -> Float[Tensor, "envs steps"]:
    out = torch.zeros_like(rewards)
    running = torch.zeros(rewards.shape[0])  #! running = torch.zeros(rewards.shape[1])
    for t in reversed(range(rewards.shape[1])):
        running = rewards[:, t] + gamma * running  # E: shape
        out[:, t] = running
    return out


# run: reward_to_go(randn(3, 5), 0.9)
