"""A decoder whose heads another file provides."""

import torch
from torch import Tensor, nn


class Decoder(nn.Module):
    def __init__(self, d_model: int, layers: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(d_model, d_model) for _ in range(layers)])

    def forward(self, x: Tensor) -> list[Tensor]:
        boxes = []
        for layer in self.layers:
            x = layer(x)
            if self.box_head is not None:
                boxes.append(self.box_head(x))
        return boxes


class Scorer(nn.Module):
    """Made for classes of other files, which say what the temperature is."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, x: Tensor) -> Tensor:
        return self.scale * x / self.temperature
