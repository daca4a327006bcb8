"""Slices that end with their axis, and layers whose widths a flag or an assertion says are one."""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


def tail(x: Float[Tensor, "b t d"], n: int) -> Float[Tensor, "b m d"]:
    return x[:, -n:]


def first(x: Float[Tensor, "b t d"], n: int) -> Float[Tensor, "b m d"]:
    return x[:, :n].contiguous()


def rest(x: Float[Tensor, "t d"], n: int) -> Float[Tensor, "m d"]:
    return x[n:]


def cut(ids: Int[Tensor, " n"], most: int = 8) -> Int[Tensor, " kept"]:
    return ids[:most]


def both(x: Float[Tensor, "t d"], n: int) -> tuple[Float[Tensor, "k d"], Float[Tensor, "k d"]]:
    return x[:n], x[-n:]


class Inverted(nn.Module):
    def __init__(self, i: int, o: int, stride: int = 1) -> None:
        super().__init__()
        self.adds = stride == 1 and i == o
        self.conv = nn.Conv2d(i, o, 3, stride=stride, padding=1)

    def forward(self, x):
        return x + self.conv(x) if self.adds else self.conv(x)


class Tied(nn.Module):
    def __init__(self, i: int, o: int) -> None:
        super().__init__()
        self.same = i == o
        self.lin = nn.Linear(i, o)

    def forward(self, x: Float[Tensor, "b i"]) -> Float[Tensor, "b o"]:
        y = self.lin(x)
        if self.same:
            y = y + x @ self.lin.weight
        return y

    def skewness(self) -> Tensor:
        if self.same:
            return (self.lin.weight - self.lin.weight.T).norm()
        return torch.zeros(())


class Square(nn.Module):
    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.lin = nn.Linear(d_in, d_out)
        assert d_in == d_out
        self.w = self.lin.weight + torch.eye(d_in)


def check() -> None:
    for n in (6, 11, 1):
        tail(torch.randn(2, 4, 3), n)
        first(torch.randn(2, 9, 3), n)
        rest(torch.randn(4, 3), n)
        both(torch.randn(5, 3), n)
    cut(torch.arange(4))
    cut(torch.arange(12))
    for i, o in ((3, 3), (4, 5), (1, 1)):
        Inverted(i, o)(torch.randn(2, i, 4, 6))
        Inverted(i, o, 2)(torch.randn(2, i, 4, 6))
        Tied(i, o)(torch.randn(2, i))
        Tied(i, o).skewness()
    Square(3, 3)


# run: check()
