"""Methods that promise a result by its annotation, and change the object that they are called on besides."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor


class Process:
    """Regression on points that are added over time."""

    def fit(self, x: Float[Tensor, "n d"], y: Float[Tensor, " n"]) -> Process:
        self.x, self.y = x, y
        return self

    def add(self, x: Float[Tensor, "m d"], y: Float[Tensor, " m"]) -> Process:
        self.x = torch.cat([self.x, x])
        self.y = torch.cat([self.y, y])
        return self

    def append(self, x: Float[Tensor, "m d"]) -> Float[Tensor, "k d"]:
        self.x = torch.cat([self.x, x])
        return self.x

    def grow(self, x: Float[Tensor, "m d"]) -> int:
        self._extend(x)
        return len(x)

    def _extend(self, x: Float[Tensor, "m d"]) -> list[Float[Tensor, "m d"]]:
        self.x = torch.cat([self.x, x])
        return []


def fitted_and_added(
    x: Float[Tensor, "n d"], y: Float[Tensor, " n"], z: Float[Tensor, "m d"], w: Float[Tensor, " m"]
) -> Float[Tensor, ""]:
    process = Process().fit(x, y)
    process.add(z, w)
    return (process.x - torch.cat([x, z])).sum() + (process.y - torch.cat([y, w])).sum()


def appended(x: Float[Tensor, "n d"], z: Float[Tensor, "m d"]) -> Float[Tensor, "n+m d"]:
    process = Process()
    process.fit(x, x[:, 0])
    process.append(z)
    return process.x + torch.cat([x, z])


def grown(x: Float[Tensor, "n d"], z: Float[Tensor, "m d"]) -> Float[Tensor, "n+m d"]:
    process = Process()
    process.fit(x, x[:, 0])
    process.grow(z)
    return process.x + torch.cat([x, z])


class Window:
    """The last steps of a stream."""

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.held = torch.zeros(0, 1)

    def forward(self, x: Float[Tensor, "t d"]) -> Float[Tensor, "k d"]:
        self.held = x
        self.push(x)
        twice = torch.cat([x, x])
        return self.held + twice

    def push(self, x: Float[Tensor, "t d"]) -> Float[Tensor, "k d"]:
        self.held = torch.cat([self.held, x])
        return self.held


def check() -> None:
    x, z = torch.randn(3, 2), torch.randn(4, 2)
    assert fitted_and_added(x, x[:, 0], z, z[:, 0]) == 0
    assert appended(x, z).shape == grown(x, z).shape == (7, 2)
    assert Window(3).forward(x).shape == (6, 2)


# run: check()
