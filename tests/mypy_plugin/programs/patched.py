"""Correct programs that give a single object another ``forward``, or another part."""

import torch
from torch import Tensor, nn


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return self.layer(x), x


class LoRA(nn.Module):
    def __init__(self, base: nn.Linear) -> None:
        super().__init__()
        self.base = base

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.base(x))


encoder = Encoder()
encoder.forward = lambda x: encoder.layer(x)  # type: ignore
print(encoder(torch.ones(2, 3)).shape)
encoder.layer = LoRA(encoder.layer)  # type: ignore[assignment]
print(encoder.layer.base)
print(encoder.layer.bsae)  # E: "Linear" has no attribute "bsae"  [attribute]
