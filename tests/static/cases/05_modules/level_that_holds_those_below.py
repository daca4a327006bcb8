from __future__ import annotations

import torch
from torch import Tensor, nn


class Level(nn.Module):
    """One level of a U-Net that holds the levels below it."""

    def __init__(self, inputs: int, width: int, below: Level | None = None) -> None:
        super().__init__()
        self.down = nn.Conv2d(inputs, width, 4, stride=2, padding=1)
        self.below = below
        self.up = nn.ConvTranspose2d(width * (2 if below else 1), inputs, 4, stride=2, padding=1)  #! self.up = nn.ConvTranspose2d(width, inputs, 4, stride=2, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        h = self.down(x).relu()
        if self.below is not None:
            h = self.below(h)
        return torch.cat([x, self.up(h)], dim=1)


def build(width: int = 8, depth: int = 3) -> Level:
    block = None
    for i in reversed(range(depth)):
        inner = width * 2**i
        block = Level(inner // 2 if i else 3, inner, block)
    return block


def main() -> Tensor:
    return build()(torch.randn(1, 3, 32, 32))  # E: shape


# run: main()
