"""Widths that are rounded from fractions of others, in each way of writing it."""

import math

import torch
from jaxtyping import Float
from torch import Tensor, nn


class Halves(nn.Module):
    def __init__(self, dim: int, heads: int, ratio: float = 1.5):
        super().__init__()
        self.half = int(dim / 2)
        self.first = nn.Linear(int(dim * 0.5), int(ratio * dim))
        self.second = nn.Linear(dim - self.half, int(dim * ratio))
        self.wide = nn.Linear(int(dim * 1.5), int(4.0 * dim))
        self.narrow = nn.Linear(4 * dim, math.floor(dim / heads) * heads)

    def forward(self, x: Float[Tensor, "batch dim"]) -> Float[Tensor, "batch out"]:
        y = self.first(x[:, : self.half]) + self.second(x[:, self.half :])
        return self.narrow(self.wide(y))


class Subsampling(nn.Module):
    def __init__(self, mels: int, dim: int):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(1, dim, 3, 2, 1), nn.ReLU(), nn.Conv2d(dim, dim, 3, 2, 1), nn.ReLU())
        self.project = nn.Linear(dim * math.ceil(math.ceil(mels / 2) / 2), dim)
        self.once = nn.Linear(dim * math.ceil(mels / 4), dim)
        self.whole = nn.Linear(dim * -(-mels // 4), dim)

    def forward(self, x: Float[Tensor, "batch frames mels"]) -> Float[Tensor, "batch _ dim"]:
        y = self.conv(x[:, None]).transpose(1, 2).flatten(2)
        return self.project(y) + self.once(y) + self.whole(y)


def windows(x: Float[Tensor, "batch time"], size: int, step: int) -> Float[Tensor, "batch n size"]:
    count = math.floor((x.shape[1] - size) / step + 1)
    made = x.unfold(1, size, step)
    assert made.shape[1] == count == int((x.shape[1] - size) / step) + 1
    return made + torch.zeros(count, 1)


def padded(x: Float[Tensor, "batch time"], multiple: int) -> Float[Tensor, "batch longer"]:
    blocks = math.ceil(x.shape[1] / multiple)
    longer = torch.cat([x, x.new_zeros(x.shape[0], blocks * multiple - x.shape[1])], dim=1)
    return longer.view(-1, blocks, multiple).sum(2) + torch.zeros(blocks)


def shares(x: Float[Tensor, "n d"], train: float = 0.8) -> tuple[Float[Tensor, "a d"], Float[Tensor, "b d"]]:
    n = int(len(x) * train)
    first, second = x.split([n, len(x) - n])
    quarter = int(0.25 * len(x))
    rest = x[quarter:] + torch.zeros(len(x) - quarter, 1)
    return first, torch.cat([second, rest[:0]])


def before_and_after(x: Float[Tensor, "n d"], kernel: int, stride: int) -> Float[Tensor, "m d"]:
    left = int((kernel - stride) / 2)  # toward zero
    return torch.cat([x.new_zeros(abs(left), x.shape[1]), x])


# run: Halves(8, 2)(torch.randn(3, 8))
# run: Halves(6, 4)(torch.randn(3, 6))
# run: Subsampling(21, 6)(torch.randn(2, 41, 21))
# run: windows(torch.randn(2, 11), 4, 3)
# run: padded(torch.randn(2, 11), 4)
# run: shares(torch.randn(11, 3))
# run: before_and_after(torch.randn(4, 2), 3, 4)
