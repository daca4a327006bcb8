"""Names that no instance has are errors; whatever may give an instance attributes keeps the check silent."""

from abc import ABC
from typing import Any

import torch
from torch import Tensor, nn


class Net(nn.Module):
    declared: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Linear(2, 3)
        self.register_buffer("mask", torch.ones(3))
        self.register_buffer("later", None)
        self.register_parameter("gain", nn.Parameter(torch.ones(3)))
        self.add_module("head", nn.Linear(3, 4))

    def forward(self, x: Tensor) -> Tensor:
        reveal_type(self.mask)  # N: Revealed type is "torch._tensor.Tensor"
        reveal_type(self.gain)  # N: Revealed type is "torch.nn.parameter.Parameter"
        reveal_type(self.later)  # N: Revealed type is "Any"
        reveal_type(self.head)  # N: Revealed type is "torch._tensor.Tensor | torch.nn.modules.module.Module"
        x = self.encodr(x)  # E: "Net" has no attribute "encodr"; maybe "encoder"?  [attribute]
        print(self.masks)  # E: "Net" has no attribute "masks"; maybe "mask"?  [attribute]
        return x


class Below(Net):
    def use(self) -> Any:
        return self.qqq  # E: "Below" has no attribute "qqq"  [attribute]


class Mixed(nn.Module):
    def __init__(self, learned: bool) -> None:
        super().__init__()
        if learned:
            self.register_parameter("factor", nn.Parameter(torch.ones(1)))
        else:
            self.register_buffer("factor", torch.ones(1))

    def alpha(self, learned: bool) -> Tensor:
        if not learned:
            alpha = self.factor
        else:
            alpha = torch.sigmoid(self.factor)
        parts = [self.factor]
        parts.append(alpha)
        return parts[0]


def use(net: Net, linear: nn.Linear, lstm: nn.LSTM, module: nn.Module) -> None:
    print(net.encoder, net.declared, linear.weight, lstm.weight_ih_l0, module.anything)
    print(linear.wieght)  # E: "Linear" has no attribute "wieght"; maybe "weight"?  [attribute]
    print(linear.wieght)  # type: ignore[attribute]
    net.added = torch.ones(3)
    print(net.added)
    if hasattr(net, "maybe"):
        print(net.maybe)


class SetsByName(nn.Module):
    def __init__(self, **values: int) -> None:
        super().__init__()
        for name, value in values.items():
            setattr(self, name, value)

    def forward(self) -> Any:
        return self.whatever


class RegistersByName(nn.Module):
    def __init__(self, n: int) -> None:
        super().__init__()
        for i in range(n):
            self.register_buffer(f"scale_{i}", torch.ones(1))

    def forward(self) -> Any:
        return self.scale_0


class PassesItself(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        furnish(self)

    def forward(self) -> Any:
        return self.given


def furnish(module: nn.Module) -> None:
    module.given2 = torch.ones(1)


class FinderBase(nn.Module):
    def __init__(self) -> None:
        super().__init__()

    def forward(self) -> Any:
        return self.from_below


class Parent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.x = 1

    def forward(self) -> Any:
        return self.only_in_child


class Child(Parent):
    def __init__(self) -> None:
        super().__init__()
        self.only_in_child = 2


class Abstract(nn.Module, ABC):
    def __init__(self) -> None:
        super().__init__()

    def forward(self) -> Any:
        return self.abstract_thing


class Guarded(nn.Module):
    def __init__(self) -> None:
        super().__init__()

    def forward(self) -> Any:
        try:
            return self.cached
        except AttributeError:
            return getattr(self, "other", None)


class Answers(nn.Module):
    def __init__(self) -> None:
        super().__init__()

    def __getattr__(self, name: str) -> Any:
        return super().__getattr__(name)

    def forward(self) -> Any:
        return self.anything_at_all


class Wrapper(nn.Module):
    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def generate(self) -> Tensor:
        return torch.ones(1)


class Wraps(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.decoder = Net()
        self.decoder = Wrapper(self.decoder)  # type: ignore[assignment]

    def use(self) -> None:
        print(self.decoder.generate())  # type: ignore[operator]
        net = Net()
        net = Wrapper(net)  # type: ignore[assignment]
        print(net.generate())  # type: ignore[operator]


class Reparametrised(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.last = nn.utils.weight_norm(nn.Linear(2, 3))
        print(self.last.weight_g, self.last.weight_mask, self.last.parametrizations)
        print(self.last.weight_length)  # E: "Linear" has no attribute "weight_length"; maybe "weight"?  [attribute]


class Quantised(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 3)
        self.rest = nn.Sequential()

    def add(self, scale: Tensor) -> None:
        self.layer.register_buffer("quantised_scale", scale)


def furnish_from_outside(net: Quantised, layer: nn.Linear, scale: Tensor) -> None:
    layer.register_buffer(name="zero_point", tensor=scale)
    layer.register_parameter("slope", nn.Parameter(scale))
    net.layer.add_module("observer", nn.Identity())
    net.register_module("after", nn.Identity())
    setattr(net, "bits", 8)
    object.__setattr__(net, "frozen", True)
    net.__dict__["cached"] = scale
    net._buffers["seen"] = scale
    for i in range(3):
        layer.register_buffer(f"level_{i}", scale)
        net.rest.add_module("block" + str(i), nn.Identity())


def read_what_was_given(net: Quantised, layer: nn.Linear) -> None:
    print(layer.quantised_scale, layer.zero_point, layer.slope, layer.observer, layer.level_0)
    print(net.after, net.bits, net.frozen, net.cached, net.seen, net.block2)
    print(net.layr)  # E: "Quantised" has no attribute "layr"; maybe "layer"?  [attribute]
    print(layer.levels)  # E: "Linear" has no attribute "levels"; maybe "eval"?  [attribute]


def gradients(x: Tensor) -> None:
    y = nn.Linear(3, 2)(x)
    z = (y * 2).sum()
    z.backward()
    print(y.grad.norm(), z.grad.clone())
    a = torch.randn(3)
    a.grad.clone()  # E: Item "None" of "Tensor | None" has no attribute "clone"  [union-attr]
    print([p.grad.norm() for p in nn.Linear(3, 2).parameters()])  # E: Item "None" of "Tensor | None" has no attribute "norm"  [union-attr]
