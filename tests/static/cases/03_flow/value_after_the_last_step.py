import torch
from jaxtyping import Float
from torch import Tensor


def advantages(
    rewards: Float[Tensor, "T N"], values: Float[Tensor, "T N"], dones: Float[Tensor, "T N"], last: Float[Tensor, "N"]
) -> Float[Tensor, "T N"]:
    found = torch.zeros_like(rewards)
    running = torch.zeros(rewards.shape[1])
    steps = rewards.shape[0]
    for t in reversed(range(steps)):
        if t == steps - 1:
            alive, following = 1.0 - dones[t], last
        else:
            alive, following = 1.0 - dones[t + 1], values[t + 1]  #! alive, following = 1.0 - dones[t + 1], values[:, t + 1]
        delta = rewards[t] + 0.99 * following * alive - values[t]  # E: shape
        found[t] = running = delta + 0.95 * alive * running
    return found


# run: advantages(randn(5, 7), randn(5, 7), randn(5, 7), randn(7))
