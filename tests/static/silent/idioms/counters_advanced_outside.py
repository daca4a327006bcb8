"""Whoever uses an object moves its position on: what the constructor sets it to is only the start."""

import torch
from jaxtyping import Float
from torch import Tensor, nn


class Cache:
    def __init__(self, batch: int, longest: int, width: int) -> None:
        self.keys = torch.zeros(batch, longest, width)
        self.position = 0
        self.window = 1

    def put(self, keys: Float[Tensor, "batch steps width"]) -> Tensor:
        end = self.position + keys.size(1)
        self.keys[:, self.position : end] = keys
        return self.keys[:, :end]

    def windows(self) -> Tensor:
        return torch.zeros(3, self.window)


class Reader(nn.Module):
    def __init__(self, cache: Cache) -> None:
        super().__init__()
        self.cache = cache

    def forward(self, x: Float[Tensor, "batch 1 width"]) -> Float[Tensor, "batch pairs width"]:
        seen = self.cache.put(x)
        self.cache.position += 1
        if self.cache.position % 2:
            return seen[:, :0]
        return seen.unflatten(1, (-1, 2)).sum(2)


def newest(cache: Cache, x: Float[Tensor, "batch 1 width"]) -> Float[Tensor, "batch 1 width"]:
    older, new = cache.put(x).split([4, 1], dim=1)
    return new + older.sum(1, keepdim=True)


def wide(cache: Cache) -> Float[Tensor, "3 5"]:
    return cache.windows() + torch.zeros(3, 4).repeat(1, 2)[:, :5]


def read(steps: int) -> tuple[Tensor, Tensor, Tensor]:
    cache = Cache(2, 8, 3)
    reader = Reader(cache)
    for _ in range(steps):
        pairs = reader(torch.ones(2, 1, 3))
    cache.window = 5
    return pairs, newest(cache, torch.ones(2, 1, 3)), wide(cache)


# run: pairs, new, apart = read(4)
# run: assert pairs.shape == (2, 2, 3) and new.shape == (2, 1, 3) and apart.shape == (3, 5)
