from __future__ import annotations

from . import types as T
from .types import Float, Tensor, torch

nn = torch.nn


class Net(nn.Module):
    scale: T.Vec

    def __init__(self, d: int, k: int) -> None:
        super().__init__()
        self.lin = nn.Linear(d, k)
        self.register_buffer("scale", torch.ones(d))

    def forward(self, x: Float[Tensor, "batch d"]) -> Float[Tensor, "batch k"]:
        return self.lin(x * self.scale)
