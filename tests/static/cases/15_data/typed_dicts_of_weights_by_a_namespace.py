import math
from types import SimpleNamespace
from typing import TypedDict

import torch
from jaxtyping import Float
from torch import Tensor


class Gate(TypedDict):
    up: Float[Tensor, "d f"]
    down: Float[Tensor, "f d"]


class Layer(TypedDict):
    gate: Gate
    scale: Float[Tensor, "d"]


SIZES = SimpleNamespace(d=6, f=10, layers=2)


def normal(*shape: int) -> Tensor:
    return torch.randn(*shape) / math.sqrt(shape[0])


def gate(hp) -> Gate:
    return {"up": normal(hp.d, hp.f), "down": normal(hp.f, hp.d)}  #! return {"up": normal(hp.d, hp.f), "down": normal(hp.d, hp.f)}


def layers(hp) -> list[Layer]:
    return [{"gate": gate(hp), "scale": torch.ones(hp.d)} for _ in range(hp.layers)]


def forward(p: Gate, x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
    return torch.relu(x @ p["up"]) @ p["down"]


def run() -> Tensor:
    x = torch.randn(3, 6)
    for layer in layers(SIZES):  #! for layer in layers(SIZES):  # E: shape
        x = forward(layer["gate"], x) * layer["scale"]
    return x


# run: run()
