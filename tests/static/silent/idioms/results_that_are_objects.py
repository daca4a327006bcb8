"""Functions and modules that give objects of several tensors, each call one of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypedDict, cast

import torch
from jaxtyping import Float
from torch import Tensor, nn


@dataclass
class Gaussian:
    mu: Float[Tensor, "b z"]
    logvar: Float[Tensor, "b z"]

    def sample(self) -> Float[Tensor, "b z"]:
        return self.mu + torch.randn_like(self.mu) * (0.5 * self.logvar).exp()


class GaussianHead(nn.Module):
    def __init__(self, n_in: int, n_out: int) -> None:
        super().__init__()
        self.net = nn.Linear(n_in, n_out)

    def forward(self, h: Float[Tensor, "b n_in"]) -> Gaussian:
        return Gaussian(self.net(h), self.net(h))


class Autoencoder(nn.Module):
    def __init__(self, x_dim: int, latent: int) -> None:
        super().__init__()
        self.head = GaussianHead(x_dim, latent)
        self.dec = nn.Linear(latent, x_dim)

    def forward(self, x: Float[Tensor, "b x_dim"]) -> Float[Tensor, "b x_dim"]:
        return self.dec(self.head(x).sample())


class Sketch(NamedTuple):
    rows: Float[Tensor, "n d"]

    def gram(self) -> Float[Tensor, "n n"]:
        return self.rows @ self.rows.T


def sketch(x: Float[Tensor, "p q"]) -> Sketch:
    return Sketch(x - x.mean(0))


class Belief(NamedTuple):
    cov: Float[Tensor, "n n"]

    def linear(self, a: Float[Tensor, "m n"]) -> Belief:
        return Belief(a @ self.cov @ a.T)

    def condition(self, h: Float[Tensor, "m n"]) -> Belief:
        return Belief(self.cov - h.T @ h)


@dataclass
class Dynamics:
    a: Float[Tensor, "n n"]
    h: Float[Tensor, "m n"]

    def filter(self, steps: int) -> Belief:
        b = Belief(torch.eye(self.a.shape[0]))
        for _ in range(steps):
            b = b.linear(self.a).condition(self.h)
        return b

    def smooth(self, steps: int) -> Float[Tensor, "n n"]:
        return self.a @ self.filter(steps).cov


class Node(NamedTuple):
    value: Float[Tensor, "b d"]
    back: Callable[[Tensor], Tensor]


def linear_node(x: Float[Tensor, "b i"], w: Float[Tensor, "i o"]) -> Node:
    return Node(x @ w, lambda g: g @ w.T)


def tanh_node(x: Float[Tensor, "b d"]) -> Node:
    return Node(x.tanh(), lambda g: g * (1 - x.tanh() ** 2))


def gradient(x: Float[Tensor, "b i"], w: Float[Tensor, "i o"]) -> Float[Tensor, "b i"]:
    linear = linear_node(x, w)
    act = tanh_node(linear.value)
    return linear.back(act.back(torch.ones_like(act.value)))


class Out(TypedDict):
    logits: Float[Tensor, "b c"]


def collated(outs: list[Out]) -> Out:
    merged = {k: torch.cat([cast(dict, o)[k] for o in outs]) for k in ("logits",)}
    return cast(Out, merged)


def classified(x: Float[Tensor, "b d"]) -> Out:
    out = {"logits": x}
    if x.shape[1] > 100:
        out["logits"] = 2 * out["logits"]
    return cast(Out, out)


def check() -> None:
    assert Autoencoder(5, 3)(torch.randn(2, 5)).shape == (2, 5)
    assert sketch(torch.randn(6, 3)).gram().shape == (6, 6)
    assert sketch(torch.randn(4, 7)).gram().shape == (4, 4)
    assert Dynamics(torch.randn(3, 3), torch.randn(2, 3)).smooth(4).shape == (3, 3)
    assert gradient(torch.randn(3, 6), torch.randn(6, 2)).shape == (3, 6)
    for b, d in [(3, 6), (1, 8)]:
        out = classified(torch.randn(b, d))
        assert out["logits"].shape == (b, d)
        both = collated([out, classified(torch.randn(7, d))])
        assert both["logits"].shape == (b + 7, d)


# run: check()
