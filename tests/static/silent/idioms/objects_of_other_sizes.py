"""Several objects of one class, each with sizes of its own: in lists, in pairs, made and changed in loops."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from typing import NamedTuple, TypedDict

import torch
from jaxtyping import Float
from torch import Tensor


@dataclass
class Layer:
    w: Float[Tensor, "n_in n_out"]

    def then(self, other: Layer) -> Layer:
        return Layer(self.w @ other.w)

    def matrix(self) -> Float[Tensor, "n_in n_out"]:
        return self.w


class Plain:
    def __init__(self, w: Float[Tensor, "i o"]) -> None:
        self._w = w

    @property
    def weight(self) -> Float[Tensor, "i o"]:
        return self._w


class Named(NamedTuple):
    w: Float[Tensor, "i o"]


class Keyed(TypedDict):
    w: Float[Tensor, "i o"]


def product(layers: list[Layer]) -> Float[Tensor, "i o"]:
    out = layers[0].w
    for layer in layers[1:]:
        out = out @ layer.w
    return out + reduce(torch.matmul, [layer.matrix() for layer in layers])


def forward(layers: list[Layer], x: Float[Tensor, "b n_in"]) -> Float[Tensor, "b k"]:
    for layer in layers:
        x = x @ layer.w
    return x


def backward(layers: dict[str, Layer], g: Float[Tensor, "b k"]) -> Float[Tensor, "b n"]:
    for layer in reversed(list(layers.values())):
        g = g @ layer.w.T
    return g


def pairs(layers: list[Layer]) -> list[Tensor]:
    return [a.w @ b.w for a, b in zip(layers, layers[1:], strict=False)]


def composed(a: Plain, b: Plain) -> Float[Tensor, "i o"]:
    return a.weight @ b.weight


def of_named(layers: list[Named], x: Float[Tensor, "b i"]) -> Float[Tensor, "b k"]:
    for layer in layers:
        x = x @ layer.w
    return x


def of_keyed(layers: list[Keyed]) -> Float[Tensor, "i o"]:
    out = layers[0]["w"]
    for layer in layers[1:]:
        out = out @ layer["w"]
    return out


class Body:
    def __init__(self, q: Float[Tensor, "n 3"]) -> None:
        self.q = q

    def distances(self, o: Body) -> Float[Tensor, "n k"]:
        return torch.cdist(self.q, o.q)


@dataclass
class Belief:
    mean: Float[Tensor, " n"]
    cov: Float[Tensor, "n n"]


class Filter:
    def __init__(self, f: Float[Tensor, "n n"]) -> None:
        self.f = f
        self.belief = Belief(torch.zeros(f.shape[0]), torch.eye(f.shape[0]))
        self.history: list[Belief] = []

    def update(self, z: Float[Tensor, " m"]) -> Belief:
        self.belief = replace(self.belief, mean=self.f @ self.belief.mean)
        self.history.append(self.belief)
        return self.belief

    def smooth(self) -> Float[Tensor, "t n"]:
        means = [self.history[-1].mean]
        for b in reversed(self.history[:-1]):
            means.insert(0, b.cov @ (self.f @ b.mean))
        return torch.stack(means)


@dataclass
class Sketch:
    b: Float[Tensor, "l d"]
    row: int = 0

    def insert(self, x: Float[Tensor, " d"]) -> None:
        if self.row == self.b.shape[0]:
            self.shrink()
        self.b[self.row] = x
        self.row += 1

    def shrink(self) -> None:
        _, s, vh = torch.linalg.svd(self.b, full_matrices=False)
        new = torch.zeros_like(self.b)
        new[: len(s)] = s[:, None] * vh
        self.b = new
        self.row = len(s)

    def gram(self) -> Float[Tensor, "d d"]:
        return self.b.T @ self.b


class Buffer:
    def __init__(self, dim: int) -> None:
        self.data: Float[Tensor, "n d"] = torch.zeros(0, dim)

    def push(self, x: Float[Tensor, "m d"]) -> None:
        self.data = torch.cat([self.data, x])

    def pop(self, k: int) -> Float[Tensor, "k d"]:
        out, self.data = self.data[:k], self.data[k:]
        return out


def check() -> None:
    for sizes in ([2, 3, 5, 4], [3, 1, 6]):
        layers = [Layer(torch.randn(a, b)) for a, b in zip(sizes, sizes[1:], strict=False)]
        assert product(layers).shape == (sizes[0], sizes[-1])
        assert forward(layers, torch.randn(7, sizes[0])).shape == (7, sizes[-1])
        named = {str(i): layer for i, layer in enumerate(layers)}
        assert backward(named, torch.randn(7, sizes[-1])).shape == (7, sizes[0])
        assert len(pairs(layers)) == len(sizes) - 2
        assert of_named([Named(layer.w) for layer in layers], torch.randn(7, sizes[0])).shape == (7, sizes[-1])
        assert of_keyed([{"w": layer.w} for layer in layers]).shape == (sizes[0], sizes[-1])
        assert layers[0].then(layers[1]).w.shape == (sizes[0], sizes[2])
    assert composed(Plain(torch.randn(2, 3)), Plain(torch.randn(3, 4))).shape == (2, 4)
    assert Body(torch.randn(4, 3)).distances(Body(torch.randn(5, 3))).shape == (4, 5)
    for axes, steps in [(3, 5), (1, 4)]:
        kept = Filter(torch.eye(2 * axes))
        for z in torch.randn(steps, axes):
            kept.update(z)
        assert kept.smooth().shape == (steps, 2 * axes)
    for d in (3, 2):
        sketch = Sketch(torch.zeros(2 * d, d))
        for x in torch.randn(15, d):
            sketch.insert(x)
        assert sketch.gram().shape == (d, d)
    buffer, other = Buffer(3), Buffer(5)
    buffer.push(torch.randn(11, 3))
    other.push(torch.randn(22, 5))
    assert other.data.shape == (22, 5)
    assert other.pop(7).shape == (7, 5)


# run: check()
