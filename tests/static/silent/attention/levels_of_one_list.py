"""Deformable attention with one level of features: as many as the list of their shapes has items."""

import torch
from torch import Tensor, nn


class Deformable(nn.Module):
    def __init__(self, width: int, heads: int, points: int) -> None:
        super().__init__()
        self.levels = 1
        self.heads, self.points = heads, points
        self.offsets = nn.Linear(width, heads * self.levels * points * 2)
        self.weights = nn.Linear(width, heads * self.levels * points)

    def forward(self, x: Tensor, references: Tensor, shapes: list[tuple[int, int]]) -> Tensor:
        batch, queries, _ = x.shape
        offsets = self.offsets(x).view(batch, queries, self.heads, self.levels, self.points, 2)
        weights = self.weights(x).view(batch, queries, self.heads, self.levels, self.points)
        places = references[:, :, None, :, None, :] + offsets
        _, count, heads, levels, points, _ = places.shape
        places = places.reshape(batch, count, heads, levels * points * 2)
        assert len(shapes) == levels
        return weights.transpose(1, 2).reshape(batch * heads, 1, count, levels * points)


class Decoder(nn.Module):
    def __init__(self, width: int, heads: int = 2, points: int = 3) -> None:
        super().__init__()
        self.attention = Deformable(width, heads, points)

    def forward(self, x: Tensor, references: Tensor, shapes: list[tuple[int, int]]) -> Tensor:
        references = references[:, :, None].expand(-1, -1, len(shapes), -1)
        return self.attention(x, references, shapes)


# run: assert Decoder(8)(randn(2, 5, 8), randn(2, 5, 2), [(4, 4)]).shape == (4, 1, 5, 3)
