"""What ``isinstance`` and ``type[...]`` say of an object: its class, and nothing of its sizes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Float
from torch import Tensor, nn


class Layer(nn.Module):
    def __init__(self, a: int, b: int) -> None:
        super().__init__()
        self.a, self.b = a, b
        self.linear = nn.Linear(a, b)

    def forward(self, x: Float[Tensor, "n a"]) -> Float[Tensor, "n b"]:
        return self.linear(x)


class Doubled(Layer):
    def __init__(self, a: int) -> None:
        super().__init__(a, 2 * a)

    def forward(self, x: Float[Tensor, "n a"], *, scale: float = 1.0) -> Float[Tensor, "n b"]:
        return scale * self.linear(x)


class Fixed(Layer):
    def __init__(self) -> None:
        super().__init__(8, 3)

    def forward(self, x: Float[Tensor, "*lead a"]) -> Float[Tensor, "*lead b"]:
        return self.linear(x)


def chain(net: nn.Module, x: Float[Tensor, "n d"]) -> Tensor:
    last = None
    for module in net.modules():
        if isinstance(module, Layer):
            x = module(x)
            if last is not None:
                x = x + last.linear.weight.sum() + module.linear.weight.sum()
                assert module.a == last.b
            last = module
    return x


def merged(first, second) -> Layer:
    """Two layers as one, where the one behind takes what the other gives."""
    if not isinstance(first, Layer) or not isinstance(second, Layer):
        raise TypeError
    made = Layer(first.a, second.b)
    made.linear.weight.data = second.linear.weight @ first.linear.weight
    made.linear.bias.data = second.linear(first.linear.bias)
    return made


def described(kind: type[Layer], x: Float[Tensor, "n d"]) -> Tensor:
    if kind is Doubled:
        layer = kind(x.shape[1])
    elif kind == Fixed:
        return kind()(x[None])[0]
    elif issubclass(kind, Fixed):
        layer = kind()
    else:
        layer = kind(x.shape[1], 5)
    return layer(x)


def grown(kinds: list[type[Layer]], x: Float[Tensor, "n d"]) -> Tensor:
    made = []
    for kind in kinds:
        layer = kind(x.shape[1])
        x = layer(x)
        made.append(layer)
    return made[-1].linear.weight.sum(0) + made[0].linear.weight.sum() + x.sum()


@runtime_checkable
class Sized(Protocol):
    def size(self) -> int: ...


class Head(ABC):
    @abstractmethod
    def score(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n"]: ...


class Row(Head):
    def score(self, x: Float[Tensor, "d"]) -> Float[Tensor, ""]:
        return x.sum()


@dataclass
class Pair:
    left: Float[Tensor, "n d"]
    right: Float[Tensor, "n d"]


def flat(item) -> Tensor:
    if isinstance(item, Pair):
        return torch.cat([item.left, item.right], 1).flatten()
    if isinstance(item, Sized):
        return torch.zeros(item.size()[0])
    if isinstance(item, Head):
        return item.score(torch.zeros(3))[None]
    return item.flatten()


class Sequences(Layer):
    def forward(self, x: Float[Tensor, "n t a"]) -> Float[Tensor, "n t b"]:
        return self.linear(x)


def of_a_subclass(layer: Layer, x: Float[Tensor, "n d"]) -> Tensor:
    if isinstance(layer, Sequences):
        return layer(x[None])[0]
    return layer(x)


def made_of_a_subclass(kind: type[Layer], x: Float[Tensor, "n d"]) -> Tensor:
    layer = kind(x.shape[1], 5)
    out = layer(x[None])[0] if isinstance(layer, Sequences) else layer(x)
    return out + layer.linear.bias


def joined(a, b) -> Tensor:
    if isinstance(a, Pair) and isinstance(b, Pair):
        return torch.cat([a.left, b.left])
    return a + b


def main() -> None:
    x = torch.randn(2, 4)
    chain(nn.Sequential(Layer(4, 6), nn.Identity(), Layer(6, 3)), x)
    merged(Layer(4, 6), Layer(6, 3))
    for kind in (Layer, Doubled):
        described(kind, x)
    described(Fixed, torch.randn(2, 8))
    for kind in (Layer, Sequences):
        of_a_subclass(kind(4, 5), x), made_of_a_subclass(kind, x)
    grown([Doubled, Doubled], x)
    pair = Pair(x, x)
    for item in (pair, x, Row()):
        flat(item)
    joined(pair, Pair(torch.zeros(5, 4), torch.zeros(5, 4)))
    joined(x, x)


# run: main()
