"""Constructors that copy a part of what they make: teachers, stacked layers, clones of buffers."""

from __future__ import annotations

import copy

import pytest
import torch
from jaxtyping import Float
from torch import Tensor, nn

from typedtorch.accounting import account


class Taught(nn.Module):
    """A student, and a copy of it that learns nothing, with buffers in both."""

    def __init__(self, d_in: int, hidden: int) -> None:
        super().__init__()
        self.student = nn.Sequential(
            nn.Linear(d_in, hidden), nn.BatchNorm1d(hidden), nn.ReLU(), nn.Linear(hidden, d_in)
        )
        self.teacher = copy.deepcopy(self.student).requires_grad_(False)

    def forward(self, x: Float[Tensor, "batch d_in"]) -> Float[Tensor, "batch d_in"]:
        with torch.no_grad():
            wanted = self.teacher(x)
        missed: Tensor = self.student(x) - wanted
        return missed


class Tied(nn.Module):
    """Copies of layers that share a weight, of a buffer, and of a tensor that is laid out otherwise."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        first, second = nn.Linear(dim, dim), nn.Linear(dim, dim)
        second.weight = first.weight
        self.layers = nn.ModuleList([first, second])
        self.copies = copy.deepcopy(self.layers)
        self.register_buffer("mask", torch.ones(dim, dim).tril())
        self.other = copy.deepcopy(self.mask)
        self.turned = copy.deepcopy(torch.zeros(2, dim).T)
        assert self.copies[0].weight is self.copies[1].weight is not first.weight
        assert self.turned.stride() == (1, dim)

    def forward(self, x: Float[Tensor, "batch dim"]) -> Float[Tensor, "batch 2"]:
        for layer in (*self.layers, *self.copies):
            x = layer(x)
        return x @ self.other @ self.turned


class Stacked(nn.Module):
    def __init__(self, d_model: int, layers: int) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(d_model, 2, 3 * d_model, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers)

    def forward(self, x: Float[Tensor, "batch seq d_model"]) -> Float[Tensor, "batch seq d_model"]:
        out: Tensor = self.encoder(x)
        return out


BUILT: dict[type[nn.Module], tuple[dict[str, int], dict[str, int]]] = {
    Taught: ({"d_in": 5, "hidden": 7}, {"batch": 11}),
    Tied: ({"dim": 6}, {"batch": 4}),
    Stacked: ({"d_model": 6, "layers": 3}, {"batch": 2, "seq": 5}),
}


@pytest.mark.filterwarnings("error")  # torch warns where memory is looked at that is not there
@pytest.mark.parametrize("kind", BUILT)
def test_what_a_constructor_copies_counts_as_if_it_was_built_for_real(kind: type[nn.Module]) -> None:
    arguments, inputs = BUILT[kind]
    found = account(kind, sizes={**arguments, **inputs}, optimizer="adamw")
    assert found.numbers == account(kind(**arguments), sizes=inputs, optimizer="adamw").numbers


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", BUILT)
def test_so_it_does_without_sizes(kind: type[nn.Module]) -> None:
    arguments, inputs = BUILT[kind]
    found, model = account(kind), kind(**arguments)
    count = sum(p.numel() for p in model.parameters())
    assert found.formula("parameters.total").subs(arguments) == count
    spent = account(model, sizes=inputs).flops.forward
    assert found.formula("flops.forward").subs({**arguments, **inputs}) == spent
