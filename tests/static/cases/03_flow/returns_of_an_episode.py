from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor


class Episode(NamedTuple):
    states: Float[Tensor, "t obs"]
    rewards: Float[Tensor, "t"]


def discounted(episode: Episode, gamma: float) -> Float[Tensor, "t"]:
    g = torch.zeros(())
    returns = []
    for r in reversed(episode.rewards):  #! for r in reversed(episode.states):
        g = r + gamma * g
        returns.insert(0, g)
    return torch.stack(returns)  # E: shape


# run: discounted(Episode(randn(4, 3), randn(4)), 0.9)
