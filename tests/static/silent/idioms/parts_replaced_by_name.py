"""A part of a model is replaced through ``setattr``, ``set_submodule`` and the like: another size from then on."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn


class Net(nn.Module):
    def __init__(self, classes: int = 10) -> None:
        super().__init__()
        self.fc = nn.Linear(8, classes)

    def forward(self, x: Float[Tensor, "b d"]) -> Float[Tensor, "b classes"]:
        return self.fc(x)


class Wrapped(nn.Module):
    def __init__(self, classes: int = 10) -> None:
        super().__init__()
        self.net = Net(classes)

    def forward(self, x: Float[Tensor, "b d"]) -> Float[Tensor, "b classes"]:
        return self.net(x)


def replace_head(net: nn.Module, classes: int) -> nn.Module:
    for name in ("fc", "classifier"):
        if hasattr(net, name):
            setattr(net, name, nn.Linear(getattr(net, name).in_features, classes))
    return net


def set_named(net: nn.Module, name: str, classes: int) -> None:
    setattr(net, name, nn.Linear(8, classes))


def set_at(root: nn.Module, path: str, new: nn.Module) -> None:
    *parents, last = path.split(".")
    for part in parents:
        root = getattr(root, part)
    setattr(root, last, new)


def check() -> None:
    x = torch.randn(3, 8)
    assert replace_head(Net(), 6)(x).shape == (3, 6)
    net = Net()
    set_named(net, "fc", 6)
    assert net(x).shape == (3, 6)
    net.set_submodule("fc", nn.Linear(8, 5))
    assert net(x).shape == (3, 5)
    net.register_module("fc", nn.Linear(8, 4))
    assert net(x).shape == (3, 4)
    net.get_submodule("").fc = nn.Linear(8, 2)
    assert net(x).shape == (3, 2)
    wrapped = Wrapped()
    wrapped.net.fc = nn.Linear(8, 7)
    assert wrapped(x).shape == (3, 7)
    set_at(wrapped, "net.fc", nn.Linear(8, 6))
    assert wrapped(x).shape == (3, 6)
    wrapped.set_submodule("net.fc", nn.Linear(8, 5))
    assert wrapped(x).shape == (3, 5)
    layers = nn.Sequential(Net(), nn.ReLU())
    set_at(layers, "0.fc", nn.Linear(8, 6))
    assert layers(x).shape == (3, 6)


# run: check()
