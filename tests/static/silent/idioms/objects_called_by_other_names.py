"""Methods that call their object something else than ``self``, and attributes that others give it."""

from collections import OrderedDict

import torch
from jaxtyping import Float
from torch import Tensor, nn


class Layer(nn.Module):
    def __init__(s, dim, hidden=8):
        super().__init__()
        s.hidden = hidden
        s.up, s.down = nn.Linear(dim, hidden), nn.Linear(hidden, dim)
        s.scale = torch.ones(dim)

    def forward(s, x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
        return s.down(s.up(x).view(-1, s.hidden)) * s.scale

    def widened(s, hidden):
        s.hidden = hidden
        s.up, s.down = nn.Linear(s.up.in_features, hidden), nn.Linear(hidden, s.up.in_features)
        return s


class Box:
    size = 3

    @classmethod
    def of(c, size):
        c.size = size
        return c()

    def __init__(me):
        me.rows = torch.zeros(me.size, 2)

    def same(me, other):
        other.rows = me.rows
        return other


class Holder:
    def __init__(h, parts):
        h.parts = parts

        def grow(part):
            part.rows = torch.cat([part.rows, part.rows])

        for part in parts:
            grow(part)

    def total(h):
        return sum(part.rows.sum(0) for part in h.parts)


def changed(layer: Layer, x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
    layer.hidden = 4
    layer.up, layer.down = nn.Linear(x.shape[1], 4), nn.Linear(4, x.shape[1])
    return layer(x)


class Backbone(nn.Module):
    """Its methods call what it wraps ``self``."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(OrderedDict(stem=nn.Linear(3, 4)))

    def forward(self, x: Float[Tensor, "b 3"]) -> Float[Tensor, "b 4"]:
        self = self.net
        return self.stem(x)


def main():
    a, b = Box.of(5), Box()
    b.rows = torch.ones(4, 2)
    c = b.same(Box())
    holder = Holder([a, b])
    return a.rows + torch.ones(10, 2), c.rows[:4] + torch.ones(4, 2), holder.total() + torch.ones(2)


# run: Backbone()(randn(2, 3)); Layer(3)(randn(2, 3)); Layer(3).widened(6)(randn(2, 3)); changed(Layer(3), randn(2, 3)); main()
