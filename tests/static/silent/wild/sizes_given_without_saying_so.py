"""Constructors whose arguments have no annotation: objects with numbers, which may change, and coincide."""
from types import SimpleNamespace

import torch
from torch import Tensor, nn


class Halved(nn.Module):
    """What something assigns is one number here and another there."""

    def __init__(self, config):
        super().__init__()
        self.up = nn.Linear(config.width, 2 * config.width)
        config.width = 2 * config.width
        self.down = nn.Linear(config.width, 3)

    def forward(self, x):
        return self.down(self.up(x))


class Block(nn.Module):
    def __init__(self, sizes, kind):
        super().__init__()
        self.wide = isinstance(kind, str) and kind == "wide"
        self.proj = nn.Linear(sizes.inner, sizes.inner * 2 if self.wide else sizes.inner)

    def forward(self, x):
        return self.proj(x)


class Tower(nn.Module):
    """Parts of one object are other objects, with numbers of the same names."""

    def __init__(self, sizes):
        super().__init__()
        self.text, self.image = Block(sizes.text, "wide"), Block(sizes.image, None)
        self.join = nn.Linear(sizes.inner, 4)

    def forward(self, x):
        return self.join(self.image(self.text(x)))


class Parsed(nn.Module):
    """A text that becomes a number."""

    def __init__(self, width, other):
        super().__init__()
        width = int(width.removesuffix("px"))
        self.first = nn.Linear(width, 4 * width)
        self.second = nn.Linear(other, width)

    def forward(self, x):
        return self.second(self.first(x))


class Scaled(nn.Module):
    """One scale for all, or one for each."""

    def __init__(self, scales):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(scales))
        self.proj = nn.Linear(3, 2 * scales)

    def forward(self, x):
        return self.proj(x) * self.scale


def use(x: Tensor) -> None:
    Halved(SimpleNamespace(width=5))(x)
    Tower(SimpleNamespace(text=SimpleNamespace(inner=5), image=SimpleNamespace(inner=10), inner=10))(x)
    Parsed("5px", 20)(x)
    Scaled(1)(x[:, :3])


# run: use(randn(2, 5))
