from __future__ import annotations

from typing import ClassVar

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn


class Probe(nn.Module):
    registry: ClassVar[dict[str, type[Probe]]] = {}

    def __init_subclass__(cls, name: str, **kwargs) -> None:
        super().__init_subclass__(**kwargs)
        Probe.registry[name] = cls

    def __init__(self, d: int, classes: int) -> None:
        super().__init__()
        self.out = nn.Linear(d, classes)

    def loss(self, x: Float[Tensor, "b d"], keep: Bool[Tensor, "b"], y: Int[Tensor, "b"]) -> Float[Tensor, ""]:
        return nn.functional.cross_entropy(self.out(x)[keep], y[keep])


class Plain(Probe, name="plain"):
    pass


class Deep(Probe, name="deep"):
    def __init__(self, d: int, classes: int, hidden: int = 5) -> None:
        super().__init__(d, classes)
        self.out = nn.Sequential(nn.Linear(d, hidden), nn.Linear(hidden, classes))


def train(x: Float[Tensor, "b d"], keep: Bool[Tensor, "b"], y: Int[Tensor, "b"]) -> dict[str, float]:
    losses = {}
    for name, make in Probe.registry.items():
        probe = make(x.shape[1], 3)
        losses[name] = probe.loss(x, keep, y).item()  #! losses[name] = probe.loss(x, y, keep).item()  # E: dtype
    return losses


def best(kinds: list[type[Probe]], x: Float[Tensor, "b d"], y: Int[Tensor, "b"]) -> Float[Tensor, ""]:
    probes = [kind(x.shape[1], 3) for kind in kinds]
    return probes[0].loss(x, y >= 0, y)


# run: train(randn(4, 6), torch.ones(4).bool(), torch.tensor([0, 1, 2, 0])), best([Plain, Deep], randn(4, 6), torch.tensor([0, 1, 2, 0]))
