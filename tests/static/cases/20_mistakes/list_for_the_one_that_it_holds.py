from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn


@dataclass
class State:
    hidden: Float[Tensor, "batch dim"]


class Cell(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.inner = nn.Linear(dim, dim)

    def step(self, x: Float[Tensor, "batch dim"], state: State) -> State:
        h = self.inner(state.hidden) + x
        return State(h.tanh())


class Stack(nn.Module):
    def __init__(self, dim: int, depth: int) -> None:
        super().__init__()
        self.dim = dim
        self.cells = nn.ModuleList([Cell(dim) for _ in range(depth)])

    def forward(self, x: Float[Tensor, "batch dim"]) -> Float[Tensor, "batch dim"]:
        states = [State(torch.zeros(x.shape[0], self.dim)) for _ in self.cells]
        for i, cell in enumerate(self.cells):
            states[i] = cell.step(x, states[i])  #! states[i] = cell.step(x, states)  # E: shape
            x = x + states[i].hidden
        return x


def centred(x: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
    middle = x.mean(0)
    return x - middle


def both(a: Float[Tensor, "n d"], b: Float[Tensor, "m d"]) -> Float[Tensor, "n+m d"]:
    return centred(torch.cat([a, b]))  #! return centred([a, b])  # E: shape


def named(a: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
    parts = {"a": a}
    return centred(parts["a"])  #! return centred(parts)  # E: shape


# run: Stack(3, 2)(randn(5, 3)), both(randn(2, 3), randn(5, 3)), named(randn(2, 3))
