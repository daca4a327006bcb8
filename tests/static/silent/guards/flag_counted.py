"""Flags that are counts of a loop, integers, buffers; tests that say by their name that sizes are equal."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn


class Counted(nn.Module):
    def __init__(self, i: int, o: int) -> None:
        super().__init__()
        self.skips = 1 if i == o else 0
        self.f = nn.Linear(i, o)

    def forward(self, x: Float[Tensor, "b i"]) -> Float[Tensor, "b o"]:
        y = self.f(x)
        for _ in range(self.skips):
            y = y + x
        return y


class Integral(nn.Module):
    def __init__(self, i: int, o: int) -> None:
        super().__init__()
        self.same = int(i == o)
        self.f = nn.Linear(i, o)

    def forward(self, x: Float[Tensor, "b i"]) -> Float[Tensor, "b o"]:
        y = self.f(x)
        return y + x if self.same else y


class Buffered(nn.Module):
    def __init__(self, i: int, o: int) -> None:
        super().__init__()
        self.register_buffer("same", torch.tensor(i == o))
        self.f = nn.Linear(i, o)

    def forward(self, x: Float[Tensor, "b i"]) -> Float[Tensor, "b o"]:
        y = self.f(x)
        if self.same:
            y = y + x
        return y


class Left(nn.Module):
    def __init__(self, i: int, o: int) -> None:
        super().__init__()
        self.same = i == o
        self.f = nn.Linear(i, o)

    def forward(self, x: Float[Tensor, "b i"]) -> Float[Tensor, "b o"]:
        y = self.f(x)
        while not self.same:
            return y
        return y + x


def symmetrised(w: Float[Tensor, "n m"], symmetric: bool) -> Float[Tensor, "n m"]:
    return (w + w.T) / 2 if symmetric else w


def multiplied(x: Float[Tensor, "a b"], v: Float[Tensor, "c d"], left: bool) -> Tensor:
    return x @ v if left else v @ x


@dataclass
class Cache:
    v: Float[Tensor, "b t d"]

    def extend(self, v: Float[Tensor, "b s d"]) -> None:
        self.v = torch.cat([self.v, v], 1)

    def rollback(self, n: int) -> None:
        self.v = self.v[:, :n]


def check() -> None:
    for kind in (Counted, Integral, Buffered, Left):
        kind(3, 3)(torch.randn(2, 3))
        kind(3, 4)(torch.randn(2, 3))
    symmetrised(torch.randn(3, 3), symmetric=True)
    symmetrised(torch.randn(3, 4), symmetric=False)
    multiplied(torch.randn(3, 4), torch.randn(4, 5), left=True)
    multiplied(torch.randn(3, 4), torch.randn(5, 3), left=False)
    for d, e in ((8, 4), (6, 10)):
        one, other = Cache(torch.zeros(2, 0, d)), Cache(torch.zeros(3, 0, e))
        one.extend(torch.randn(2, 5, d))
        other.extend(torch.randn(3, 4, e))
        one.rollback(2)
        assert one.v.shape == (2, 2, d)
        assert other.v.shape == (3, 4, e)


# run: check()
