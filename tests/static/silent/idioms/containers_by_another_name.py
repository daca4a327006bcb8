"""Containers of modules that a program gives a name, a type or methods of their own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Generic, TypeVar

import torch
from jaxtyping import Float
from torch import Tensor, nn

ModuleT = TypeVar("ModuleT", bound=nn.Module)


class Layers(nn.ModuleList, Generic[ModuleT]):
    """A list that says what it holds."""

    if TYPE_CHECKING:

        def __init__(self, modules: Iterable[ModuleT] | None = None) -> None: ...
        def __iter__(self) -> Iterator[ModuleT]: ...


class Named(nn.ModuleDict):
    pass


class Reversed(nn.ModuleList):
    def __getitem__(self, index: int) -> nn.Module:
        return super().__getitem__(len(self) - 1 - index)


class Widened(nn.ModuleList):
    def __init__(self, modules: Iterable[nn.Linear]) -> None:
        super().__init__([nn.Linear(m.in_features, 2 * m.out_features) for m in modules])

    def width(self) -> int:
        return sum(m.out_features for m in self)


class Chain(nn.Sequential):
    """A name."""


def kind(layers: nn.Module) -> int:
    if isinstance(layers, Layers):
        return 1
    return 2 if isinstance(layers, nn.ModuleList) else 3


def through(layers: Layers[nn.Linear], x: Float[Tensor, "batch dim"]) -> Float[Tensor, "batch out"]:
    for layer in layers:
        x = layer(x)
    return x


class Net(nn.Module):
    def __init__(self, dim: int, count: int) -> None:
        super().__init__()
        self.layers = Layers[nn.Linear]([nn.Linear(dim, dim) for _ in range(count)])
        self.layers.append(nn.Linear(dim, 2 * dim))
        self.heads = Named({"a": nn.Linear(2 * dim, 3)})
        self.heads["b"] = nn.Linear(2 * dim, 5)
        self.chain = Chain(nn.Linear(dim, 7), nn.ReLU())

    def forward(self, x: Float[Tensor, "batch dim"]) -> Float[Tensor, "batch 8"]:
        side = self.chain(x)
        assert side.shape == (x.shape[0], 7)
        for layer in self.layers:
            x = layer(x)
        return torch.cat([head(x) for head in self.heads.values()], dim=-1)


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = Layers([nn.Linear(4, 4)])
        if kind(self.layers) == 1:
            self.out = nn.Linear(4, 2)
        else:
            self.out = nn.Linear(5, 2)

    def forward(self, x: Float[Tensor, "batch 4"]) -> Float[Tensor, "batch 2"]:
        return self.out(self.layers[0](x))


Net(4, 2)(torch.ones(3, 4))
Tied()(torch.ones(3, 4))
through(Layers([nn.Linear(4, 6), nn.Linear(6, 5)]), torch.ones(3, 4))
first = Reversed([nn.Linear(3, 4), nn.Linear(5, 6)])[0]
torch.cat([first(torch.ones(2, 5)), torch.ones(2, 6)])
Widened([nn.Linear(3, 4)])[0](torch.ones(2, 3)) @ torch.ones(8, 1)
torch.ones(Widened([nn.Linear(3, 4)]).width()) @ torch.ones(8)

# run: Net(4, 2)(randn(3, 4))
# run: Tied()(randn(3, 4))
# run: through(Layers([nn.Linear(4, 6), nn.Linear(6, 5)]), randn(3, 4))
