"""Coarse to fine: levels up to one that the model is told, correlations of shifted features, the highest of a map."""

from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class Pyramid(nn.Module):
    def __init__(self, widths: Sequence[int]) -> None:
        super().__init__()
        self.convs = nn.ModuleList()
        for before, after in zip(widths[:-1], widths[1:]):
            self.convs.append(nn.Conv2d(before, after, 3, 2, 1))

    def forward(self, x: Tensor) -> list[Tensor]:
        levels = []
        for conv in self.convs:
            x = conv(x)
            levels.append(x)
        return levels[::-1]


class Flow(nn.Module):
    def __init__(self, last: int = 1, widths: Sequence[int] = (3, 16, 32)) -> None:
        super().__init__()
        self.last = last
        self.pyramid = Pyramid(widths)
        self.reduce = nn.ModuleList([nn.Conv2d(32, 8, 1), nn.Conv2d(16, 8, 1)])

    def forward(self, image: Float[Tensor, "b 3 h w"]) -> list[Tensor]:
        made = []
        for level, x in enumerate([*self.pyramid(image), image]):
            made.append(self.reduce[level](x))
            if level == self.last:
                break
        return made


def correlated(a: Tensor, b: Tensor, most: int) -> Tensor:
    height = a.shape[2]
    cost = torch.zeros(a.shape[0], 2 * most + 1, height, a.shape[3])
    for i in range(2 * most + 1):
        by = i - most
        left = a[:, :, max(0, -by) : height - by]
        right = b[:, :, max(0, by) : height + by]
        cost[:, i, max(0, -by) : height - by] = (left * right).sum(1)
    return cost


class Costs(nn.Module):
    def __init__(self, most: Sequence[int] = (2, 2), scale: float = 0.25) -> None:
        super().__init__()
        self.most, self.scale = most, scale
        self.features = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.Conv2d(8, 8, 3, 2, 1))

    def forward(self, image: Float[Tensor, "b 3 h w"]) -> Tensor:
        first = self.features(image)
        rows, columns = (int(self.scale * size) for size in image.shape[2:])
        other = torch.ones(len(image), 8, rows, columns)
        return correlated(first, other, self.most[0])


def highest(scores: Tensor, heat: np.ndarray) -> tuple[Int[Tensor, ""], np.integer]:
    row, _ = torch.unravel_index(scores.argmax(), scores.shape)
    norms = np.linalg.norm(heat, axis=-1)
    _, column = np.unravel_index(norms.argmax(), norms.shape)
    np.ravel_multi_index((row.item(), column), norms.shape)
    return row, column


# run: assert len(Flow()(randn(2, 3, 16, 16))) == 2
# run: assert Costs()(randn(2, 3, 16, 16)).shape == (2, 5, 4, 4)
# run: highest(randn(4, 5), np.ones((4, 5, 3)))
