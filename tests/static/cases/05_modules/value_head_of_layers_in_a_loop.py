from collections.abc import Callable, Sequence

import torch
from jaxtyping import Float
from torch import Tensor, nn


def mlp(sizes: Sequence[int], activation: Callable[[], nn.Module] = nn.ReLU) -> nn.Sequential:
    layers: list[nn.Module] = []
    for i in range(len(sizes) - 1):
        last = i == len(sizes) - 2
        layers += [nn.Linear(sizes[i], sizes[i + 1]), nn.Identity() if last else activation()]
    return nn.Sequential(*layers)


class Critic(nn.Module):
    def __init__(self, obs: int, act: int, hidden: Sequence[int]) -> None:
        super().__init__()
        self.q = mlp([obs + act, *hidden, 1])

    def forward(self, obs: Float[Tensor, "b obs"], act: Float[Tensor, "b act"]) -> Float[Tensor, "b"]:
        return self.q(torch.cat([obs, act], -1)).squeeze(-1)  #! return self.q(torch.cat([obs, act], -1))


def main() -> Tensor:
    critic = Critic(5, 2, (16, 16))
    return critic(torch.randn(8, 5), torch.randn(8, 2))  # E: shape


# run: main()
