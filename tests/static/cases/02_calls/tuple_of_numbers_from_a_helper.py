from __future__ import annotations

import torch
from torch import nn


def pair(x: int | tuple[int, int]) -> tuple[int, int]:
    return x if isinstance(x, tuple) else (x, x)


def widths(first: int, depth: int) -> list[int]:
    return [first * 2**i for i in range(depth)]


class Patches(nn.Module):
    def __init__(self, image=32, patch=8, dim=48):
        super().__init__()
        self.image, self.patch = pair(image), pair(patch)
        self.count = (self.image[0] // self.patch[0]) * (self.image[1] // self.patch[1])
        self.proj = nn.Conv2d(3, dim, kernel_size=self.patch, stride=self.patch)
        self.position = nn.Parameter(torch.zeros(1, self.count + 1, dim))  #! self.position = nn.Parameter(torch.zeros(1, self.count, dim))

    def forward(self, x):
        x = self.proj(x).flatten(2).transpose(1, 2)
        return torch.cat([x.mean(1, keepdim=True), x], dim=1) + self.position


def main():
    a, b, c = widths(8, 3)
    nn.Linear(c, 4)(torch.zeros(2, 32))  #! nn.Linear(b, 4)(torch.zeros(2, 32))  # E: shape
    return Patches()(torch.randn(4, 3, 32, 32))  #! return Patches()(torch.randn(4, 3, 32, 32))  # E: shape


# run: main()
