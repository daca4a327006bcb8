"""Layers whose weights others replace, tie, apply a function to, or leave out; classes made by others."""

import json

import torch
import torch.nn as nn
from torch import Tensor
from torch.func import functional_call


def replaced():
    a = nn.Linear(3, 4)
    a.weight.data = a.weight.data.t()
    b = torch.nn.functional.linear(torch.zeros(2, 4), a.weight)
    c = nn.Linear(3, 4, bias=False)
    c.weight = nn.Parameter(torch.zeros(5, 6))
    d = c(torch.zeros(2, 6)) + torch.zeros(2, 5)
    table, head = nn.Embedding(5, 3), nn.Linear(3, 5, bias=False)
    head.weight = table.weight
    e = head(torch.zeros(1, 3)) + torch.zeros(1, 5)
    table.weight.data = torch.cat([table.weight.data, torch.zeros(2, 3)])
    f = head(torch.zeros(1, 3)) + torch.zeros(1, 7)
    g = nn.Linear(2, 2, bias=False)
    g.apply(lambda m: setattr(m, "weight", nn.Parameter(torch.zeros(5, 5))))
    h = g(torch.zeros(2, 5)) + torch.zeros(2, 5)
    i = nn.Linear(3, 4)
    i.bias = None
    with torch.no_grad():
        i.weight.set_(torch.zeros(6, 3))
    j = i(torch.zeros(2, 3)) + torch.zeros(2, 6)
    return b, d, e, f, h, j


def tied(text: str):
    sizes = json.loads(text)
    table, head = nn.Embedding(sizes["v"], sizes["d"]), nn.Linear(sizes["d"], sizes["v"])
    head.weight = table.weight
    return head(table(torch.zeros(2, dtype=torch.long)))


def stood_in_for():
    layer = nn.Linear(3, 4)
    wide = {"weight": torch.zeros(7, 3), "bias": torch.zeros(7)}
    a = functional_call(layer, wide, (torch.zeros(2, 3),)) + torch.zeros(2, 7)
    b = functional_call(layer, dict(layer.named_parameters()), (torch.zeros(2, 3),)) + torch.zeros(2, 4)
    net = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))
    parts = {"1.weight": torch.zeros(6, 4), "1.bias": torch.zeros(6)}
    c = functional_call(net, parts, (torch.zeros(2, 3),)) + torch.zeros(2, 6)
    return a, b, c


class Making(type):
    def __call__(cls, *args):
        made = super().__call__(*args)
        made.w = torch.zeros(9)
        return made


class Made(metaclass=Making):
    def __init__(self, n: int) -> None:
        self.w = torch.zeros(n)


class Knobs:
    def __init__(self) -> None:
        self.n = 2


class Other(Knobs):
    @property
    def size(self) -> int:
        return 3 * self.n


def objects() -> tuple[Tensor, ...]:
    a = Made(2).w + torch.zeros(9)
    k = Knobs()
    k.__setattr__("n", 4)
    b = torch.zeros(k.n) + torch.zeros(4)
    object.__setattr__(k, "n", 3)
    c = torch.zeros(k.n) + torch.zeros(3)
    k.__dict__ = {"n": 9}
    d = torch.zeros(k.n) + torch.zeros(9)
    k.__class__ = Other
    e = torch.zeros(k.size) + torch.zeros(27)
    return a, b, c, d, e


# run: replaced()
# run: tied('{"v": 5, "d": 3}')
# run: stood_in_for()
# run: objects()
