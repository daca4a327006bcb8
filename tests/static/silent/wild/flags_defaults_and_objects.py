"""Flags of which one half is not known, default widths that every caller replaces, arrays of arrays."""

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn


class Block(nn.Module):
    def __init__(self, in_dim: int, out_dim: int, stride: int = 1) -> None:
        super().__init__()
        self.residual = (in_dim == out_dim) and (stride == 1)
        self.conv = nn.Conv2d(in_dim, out_dim, 3, stride, 1)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.conv(x) if self.residual else self.conv(x)


class Shortcut(nn.Module):
    def __init__(self, given: Any, width: int, stride: int = 1) -> None:
        super().__init__()
        self.residual = given.residual and stride == 1
        self.smaller = given.smaller or stride > 1
        self.conv = nn.Conv2d(width, width, 3, stride, 1)

    def forward(self, x: Tensor) -> Tensor:
        y = self.conv(x)
        if self.residual:
            y = y + x
        if not self.smaller:
            y = y * x
        return y


def smaller(n: int, k: int, settings: Any) -> Tensor:
    return Shortcut(settings, k, 2)(Block(n, k, 2)(torch.randn(1, n, 32, 32)))


class Position(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.proj = nn.Conv2d(dim, dim, 3, 1, 1, groups=dim)

    def forward(self, x: Tensor) -> Tensor:
        return self.proj(x) + x


class Stages(nn.Module):
    def __init__(self, widths=[0, 0], depths=(0, 0)):  # noqa: B006 - what programs write
        super().__init__()
        self.first = Position(dim=widths[0])
        self.down = nn.Conv2d(widths[0], widths[1], 2, 2)
        self.second = nn.Sequential(*[Position(widths[1]) for _ in range(depths[1])])

    def forward(self, x):
        return self.second(self.down(self.first(x)))


def histograms(rows: int) -> Tensor:
    kept = np.empty((rows, 2), dtype=object)
    for i in range(rows):
        kept[i][0] = np.arange(5.0)
        kept[i, 1] = np.arange(5.0)
    return torch.corrcoef(torch.stack([torch.arange(5.0), torch.tensor(kept[0][0])]))[0, 1]


def records(n: int) -> np.ndarray:
    points = np.zeros(n, dtype=[("xyz", "f4", 3), ("label", "i4")])
    return points[0][0] + points["xyz"][0]


class Settings:
    residual = True
    smaller = None


# run: smaller(3, 4, Settings())
# run: Stages([4, 8], (1, 2))(randn(1, 4, 8, 8))
# run: histograms(2)
# run: records(4)
