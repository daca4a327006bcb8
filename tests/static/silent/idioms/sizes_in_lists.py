"""Sizes of layers in lists: each layer begins where the one before it ended, whatever the annotation calls it."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn


class Widths(NamedTuple):
    i: int
    o: int


@dataclass
class Layer:
    i: int
    o: int
    act: str = "relu"


def by_pairs(x: Float[Tensor, "b i"], shapes: Sequence[tuple[int, int]]) -> Float[Tensor, "b o"]:
    for o, i in shapes:
        x = x @ torch.randn(i, o)
    return x


def by_tuples(x: Float[Tensor, "b i"], shapes: list[Widths]) -> Float[Tensor, "b o"]:
    for shape in shapes:
        x = x @ torch.randn(shape.i, shape.o)
    return x


def by_objects(x: Float[Tensor, "b i"], layers: Sequence[Layer]) -> Float[Tensor, "b o"]:
    first, *rest = layers
    x = x @ torch.randn(first.i, first.o)
    for layer in rest:
        x = x @ torch.randn(layer.i, layer.o)
    for a, b in zip(layers, layers[1:]):
        assert (torch.randn(a.i, a.o) @ torch.randn(b.i, b.o)).shape == (a.i, b.o)
    return x


def two_at_a_time(n: int, shapes: list[tuple[int, int]]) -> None:
    first, *rest = shapes
    for (o, i), (p, q) in zip(shapes, rest):
        torch.randn(n, i) @ torch.randn(i, o) @ torch.randn(q, p)
    for (o, _), (p, q) in pairwise(shapes):
        torch.randn(n, o) @ torch.randn(q, p)


def weights_after_the_first(weights: list[Float[Tensor, "i o"]]) -> Float[Tensor, "d out"]:
    rest = weights[1:]
    x = weights[0]
    for weight in rest:
        x = x @ weight
    for a, b in zip(weights, rest):
        assert (a @ b).shape == (len(a), b.shape[1])
    return x


class Hyper(nn.Module):
    """The weights of another network."""

    def __init__(self, z: int, shapes: Sequence[tuple[int, int]]) -> None:
        super().__init__()
        self.shapes = list(shapes)
        self.sizes = [o * i + o for o, i in self.shapes]
        self.net = nn.Linear(z, sum(self.sizes))

    def forward(self, z: Float[Tensor, "b z"], x: Float[Tensor, "b n i"]) -> Float[Tensor, "b n o"]:
        for k, ((o, i), flat) in enumerate(zip(self.shapes, self.net(z).split(self.sizes, -1))):
            weight, bias = flat[:, : o * i].unflatten(1, (o, i)), flat[:, o * i :]
            x = torch.baddbmm(bias.unsqueeze(1), x, weight.transpose(1, 2))
            if k + 1 < len(self.shapes):
                x = x.tanh()
        return x


# run: x, shapes = torch.randn(5, 2), [(3, 2), (4, 3), (1, 4)]
# run: assert by_pairs(x, shapes).shape == (5, 1)
# run: assert by_tuples(x, [Widths(i, o) for o, i in shapes]).shape == (5, 1)
# run: assert by_objects(x, [Layer(i, o) for o, i in shapes]).shape == (5, 1)
# run: two_at_a_time(6, shapes)
# run: weights_after_the_first([torch.randn(3, 3) for _ in range(3)])
# run: assert Hyper(3, shapes)(torch.randn(2, 3), torch.randn(2, 6, 2)).shape == (2, 6, 1)
