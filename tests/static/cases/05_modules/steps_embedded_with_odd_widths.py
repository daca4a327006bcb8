import math

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


def embedded(steps: Int[Tensor, "batch"], width: int) -> Float[Tensor, "batch width"]:
    half = width // 2
    rates = torch.exp(-math.log(10_000) * torch.arange(half) / half)
    angles = steps[:, None] * rates[None]
    waves = torch.cat([angles.cos(), angles.sin()], dim=-1)
    if width % 2:
        waves = torch.cat([waves, torch.zeros_like(waves[:, :1])], dim=-1)
    return waves


class StepNet(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width
        self.net = nn.Sequential(
            nn.Linear(width, 4 * width),  #! nn.Linear(4 * width, 4 * width),
            nn.SiLU(),
            nn.Linear(4 * width, width),
        )

    def forward(self, steps: Int[Tensor, "batch"]) -> Float[Tensor, "batch width"]:
        return self.net(embedded(steps, self.width))  # E: shape


# run: StepNet(6)(torch.arange(3)), StepNet(7)(torch.arange(3))
