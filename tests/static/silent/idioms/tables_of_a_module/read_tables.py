"""Tables that other files, decorators, aliases and functions change before they are read."""

import torch
from torch import nn

from kit import layers
from kit.settings import blocks, settings

plan = {"dim": 4, "stages": {"depth": 2}, "widths": [4, 4]}
shown = {"dim": 4, "widths": [4, 4], "stages": {"width": 4}}
sizes = {"dim": 4}
norms = {}
makers = {}


class Kinds:
    def __init__(self):
        self.known = {}

    def add(self, name=None):
        def keep(cls):
            self.known[name or cls.__name__] = cls
            return cls

        return keep

    def replace(self, name, cls):
        self.known[name] = cls

    def make(self, name, **options):
        return self.known[name](**options)


class Named(Kinds):
    pass


kinds, others = Kinds(), Named()


def norm(name):
    def keep(cls):
        norms[name] = cls
        return cls

    return keep


def maker(function):
    makers[function.__name__] = function
    return function


class Pool(nn.Module):
    known = {}
    sizes = {}

    def __init_subclass__(cls, name=None, size=2, **options):
        super().__init_subclass__(**options)
        if name is not None:
            Pool.known[name] = cls
        Pool.sizes[cls.__name__] = size

    @classmethod
    def add(cls, name):
        def keep(other):
            cls.known[name] = other
            return other

        return keep


class First(Pool, name="edge"):
    def forward(self, x):
        return x[:, 0]


class Last(Pool, name="edge", size=3):
    def forward(self, x):
        return x[:, -1:].flatten(1)


class Shelf:
    known = {}

    @classmethod
    def add(cls, name):
        def keep(other):
            cls.known[name] = other
            return other

        return keep

    @staticmethod
    def swap(a, b):
        Shelf.known[a], Shelf.known[b] = Shelf.known[b], Shelf.known[a]


class Other(Shelf):
    known = {}


@Shelf.add("a")
@Other.add("a")
def narrow(x):
    return x[:, :2]


@Shelf.add("b")
def wide(x):
    return torch.cat([x, x], dim=1)


@norm("layer")
@kinds.add("layer")
class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.LayerNorm(width)

    def forward(self, x):
        return self.body(x)


@norm("doubled")
@others.add()
class Doubled(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.LayerNorm(2 * width)

    def forward(self, x):
        return self.body(torch.cat([x, x], dim=-1))


@maker
def column(n):
    return torch.zeros(n, 1)


@maker
def row(n):
    return torch.zeros(1, n)


def override(table, **more):
    table.update(more)


def widen():
    alias = sizes
    alias["dim"] = 6
    for width in shown["widths"]:
        shown["stages"]["width"] = width + 2


class Through(nn.Module):
    def __init__(self, **options):
        super().__init__()
        options = {"dim": 4, "out": 2, **options}
        self.body = nn.Linear(options["dim"], options["out"])

    def forward(self, x):
        return self.body(x)


def given(options):
    chosen = {"dim": 4} | options
    chosen |= {"out": 5}
    return nn.Linear(chosen["dim"], chosen["out"])(torch.ones(2, 6))


def main():
    override(plan, dim=6)
    plan["widths"].append(5)
    widen()
    settings["dim"] = 6
    layers.heads["linear"] = nn.LazyLinear
    blocks["wide"] = layers.Wide
    kinds.replace("layer", Doubled)
    total = nn.Linear(plan["dim"], 2)(torch.ones(1, 6)).sum() + len(plan["widths"])
    total = total + nn.Linear(sizes["dim"], 2)(torch.ones(1, 6)).sum()
    total = total + nn.Linear(shown["stages"]["width"], 2)(torch.ones(1, 6)).sum()
    total = total + blocks["wide"]()(torch.ones(2, 6)).sum()
    total = total + kinds.make("layer", width=3)(torch.ones(2, 3)).sum()
    total = total + others.make("Doubled", width=3)(torch.ones(2, 3)).sum()
    total = total + norms["doubled"](4)(torch.ones(2, 4)).sum() + norms["layer"](4)(torch.ones(2, 4)).sum()
    total = total + (makers["column"](3) + makers["row"](4)).sum()
    total = total + Through(dim=6)(torch.ones(2, 6)).sum() + given({"dim": 6}).sum()
    total = total + (Pool.known["edge"]()(torch.ones(2, 3, 4)) + torch.ones(2, 4)).sum()
    total = total + torch.ones(Pool.sizes["Last"], 1).sum() + (torch.ones(3) + torch.ones(Pool.sizes["Last"])).sum()
    Shelf.swap("a", "b")
    total = total + (Shelf.known["a"](torch.ones(2, 3)) + torch.ones(6)).sum()
    total = total + (Other.known["a"](torch.ones(2, 3)) + torch.ones(2)).sum()
    return total.item()


if __name__ == "__main__":
    main()


# main: read_tables.py
# run: main()
