from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor, nn


class Bottleneck(nn.Module):
    expansion: ClassVar[int] = 4

    def __init__(self, c_in: int, c: int, down: nn.Module | None = None) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(c_in, c, 1), nn.ReLU(), nn.Conv2d(c, c * self.expansion, 1))
        self.down = down

    def forward(self, x: Float[Tensor, "b c_in h w"]) -> Float[Tensor, "b c_out h w"]:
        y = self.body(x)
        y += x if self.down is None else self.down(x)
        return y


class ResNet(nn.Module):
    def __init__(self, layers: list[int]) -> None:
        super().__init__()
        self.width = 8
        self.stages = nn.Sequential(self.stage(8, layers[0]), self.stage(16, layers[1]))
        self.head = nn.Linear(16 * Bottleneck.expansion, 5)  #! self.head = nn.Linear(16, 5)

    def stage(self, c: int, blocks: int) -> nn.Sequential:
        down = nn.Conv2d(self.width, c * Bottleneck.expansion, 1)
        made: list[nn.Module] = [Bottleneck(self.width, c, down)]
        self.width = c * Bottleneck.expansion
        for _ in range(1, blocks):
            made.append(Bottleneck(self.width, c))
        return nn.Sequential(*made)

    def forward(self, x: Float[Tensor, "b 8 h w"]) -> Float[Tensor, "b classes"]:
        return self.head(self.stages(x).mean((2, 3)))  # E: shape


def main() -> Float[Tensor, "1 5"]:
    return ResNet([2, 2])(torch.randn(1, 8, 4, 4))


# run: main()
