"""``namedtuple`` and ``NamedTuple`` called with names make classes: some with defaults, some with bases of their own."""

import collections
from collections import namedtuple
from typing import NamedTuple

import torch
from torch import Tensor

Pair = namedtuple("Pair", "left, right", defaults=(None,))
Typed = NamedTuple("Typed", [("x", Tensor), ("n", int)])
NAMES = ["a", "b"]
Computed = namedtuple("Computed", NAMES)
Renamed = namedtuple("Renamed", ["a", "class"], rename=True)


class Box(collections.namedtuple("Box", ("low", "high"))):
    @property
    def size(self):
        return self.high - self.low

    def grow(self, by):
        return self._replace(high=self.high + by)


def local(x):
    Out = namedtuple("Out", ["h", "c"])
    out = Out(x, x.T)
    h, c = out
    return Out(*[t.sum(0) for t in out]), h @ c


def main():
    x = torch.randn(2, 3)
    pair = Pair(x)
    a = x if pair.right is None else pair.left + pair.right
    b = Pair(x, x.T)[1] + torch.zeros(3, 2)
    c = Typed(x, 4).x + torch.zeros(Typed(x, 3).n)
    d = Box(torch.zeros(3), torch.ones(3)).grow(torch.ones(2, 1)).size + torch.zeros(2, 3)
    e = Computed(x, x.T).b + torch.zeros(3, 2)
    f = Renamed(x, x.T)[1] + torch.zeros(3, 2)
    (h, k), square = local(x)
    rows = Pair(*zip(*[Pair(torch.zeros(2), torch.zeros(3)) for _ in range(4)], strict=True))
    g = torch.cat([torch.stack(rows.left), torch.stack(rows.right)], dim=1) + torch.zeros(4, 5)
    return a, b, c, d, e, f, g, h + torch.zeros(3), k + torch.zeros(2), square + torch.zeros(2, 2)


# run: main()
