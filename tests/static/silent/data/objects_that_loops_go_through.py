"""Loops go through objects with ``__iter__``, ``__next__`` or ``__getitem__``; dicts lose what is popped."""

from dataclasses import asdict, dataclass, field
from typing import NamedTuple

import torch
from torch.utils.data import DataLoader, Dataset


class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        return torch.zeros(self.n, 3)


class Rows:
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        return iter(self.x)


class Growing:
    def __iter__(self):
        x = torch.zeros(1)
        for _ in range(3):
            yield x
            x = torch.cat([x, x])


class Twice(Growing):
    def __iter__(self):
        for x in super().__iter__():
            yield x
            yield x.unsqueeze(0)


class Items(Dataset):
    def __getitem__(self, i):
        if i > 4:
            raise IndexError(i)
        return torch.zeros(i + 1)

    def __len__(self):
        return 5


class Pair(NamedTuple):
    a: int = 2
    b: int = 3


@dataclass
class Inner:
    width: int = 4
    pair: Pair = field(default_factory=Pair)


@dataclass
class Outer:
    inner: Inner = field(default_factory=Inner)
    sizes: list = field(default_factory=lambda: [2, 3])
    name: str = "x"


def loops():
    total = torch.zeros(3)
    for x in Countdown(3):
        total = total + x.sum(0)
    for row in Rows(torch.randn(5, 3)):
        total = total + row
    for x in Growing():
        total = total + x.sum()
    for x in Twice():
        total = total + x.flatten().sum()
    for x in Items():
        total = total + x.sum()
    (batch,) = [b for b in DataLoader([torch.zeros(2)] * 3, batch_size=3)]
    return total, batch + torch.zeros(3, 2), [len(x) for x in Items()]


def dicts(**kwargs):
    bias = kwargs.pop("bias", 5)
    d = asdict(Outer())
    d["inner"]["width"] += 1
    d["sizes"].append(7)
    outer = Outer()
    d.setdefault("sizes", [1])
    d.setdefault("other", 6)
    a = torch.zeros(d["inner"]["width"]) + torch.zeros(5)
    b = torch.zeros(outer.inner.width) + torch.zeros(4)
    c = torch.zeros(d["inner"]["pair"][1], len(d["sizes"])) + torch.zeros(3, 3)
    e = torch.zeros(d.pop("other")) + torch.zeros(6)
    f = torch.zeros(d.pop("other", 8)) + torch.zeros(8)
    g = torch.zeros(bias) + torch.zeros(3)
    return a, b, c, e, f, g, len(d), len(kwargs)


def main():
    return loops(), dicts(bias=3, other=2)


# run: main()
