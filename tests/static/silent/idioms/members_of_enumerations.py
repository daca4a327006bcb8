"""Enumerations decide branches, are keys of dicts, and are gone through."""

from enum import Enum, IntEnum, StrEnum, auto

import torch
from torch import nn


class Kind(Enum):
    ROWS = "rows"
    COLUMNS = "columns"
    DEFAULT = "rows"

    @property
    def dim(self):
        return 0 if self is Kind.ROWS else 1


class Level(IntEnum):
    LOW = 1
    HIGH = 4


class Reduction(StrEnum):
    SUM = auto()
    MEAN = auto()


class Shape(Enum):
    SMALL = (2, 3)
    LARGE = (4, 5)

    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns


class Loose(Enum):
    A = 1
    B = 2

    def __eq__(self, other):
        return isinstance(other, Loose)

    __hash__ = Enum.__hash__


def reduced(x, kind, how=Reduction.SUM):
    if kind is Kind.DEFAULT:
        x = x.T
    if how == "sum":
        return x.sum(0)
    return x.mean(1) if how == Reduction.MEAN else x[0]


def widths(level):
    sizes = {Level.LOW: 3, Level.HIGH: 8}
    return sizes.get(level, 5)


def loose(x, member):
    return x.view(6) if member == Loose.A else x.T.reshape(6)


def rows(shape):
    x = torch.zeros(shape.rows, shape.columns)
    return x if shape is Shape.SMALL else x.T


def every(x):
    out = {}
    for kind in Kind:
        out[kind] = x.sum(kind.dim)
    for level in Level:
        out[level] = nn.Linear(3, widths(level))(x)
    return out[Kind.ROWS] + out[Kind("rows")] + torch.zeros(3), out[Level["HIGH"]] + torch.zeros(8)


def main():
    randn = torch.randn
    reduced(randn(4, 3), Kind.ROWS) + torch.zeros(4)
    reduced(randn(4, 3), Kind.COLUMNS) + torch.zeros(3)
    reduced(randn(4, 3), Kind.COLUMNS, Reduction.MEAN) + torch.zeros(4)
    loose(randn(2, 3), Loose.B)
    rows(Shape.LARGE) + torch.zeros(5, 4)
    every(randn(4, 3))


# run: main()
