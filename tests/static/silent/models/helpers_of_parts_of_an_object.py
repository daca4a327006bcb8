"""Helpers whose axes are called like the object's integers: all of it in one call, a part of it in another."""

import torch
from jaxtyping import Float
from torch import Tensor, nn


class Gate(nn.Module):
    def __init__(self, dim: int, hidden: int) -> None:
        super().__init__()
        self.dim, self.hidden = dim, hidden
        self.up = nn.Linear(dim, 2 * hidden)
        self.out = nn.Linear(hidden, dim)
        self.scale = nn.Parameter(torch.ones(dim + hidden))

    def pair(self, x: Float[Tensor, "b wide"], hidden: Float[Tensor, "b hidden"]) -> Float[Tensor, "b wide"]:
        """Both halves next to each other, whatever ``hidden`` is here."""
        return torch.cat([x[:, : -hidden.shape[1]], x[:, -hidden.shape[1] :] * hidden], dim=1)

    def scaled(self, y: Float[Tensor, "b both"], hidden: Float[Tensor, "b hidden"]) -> Float[Tensor, "b both"]:
        return y * self.scale + hidden.mean()

    def forward(self, x: Float[Tensor, "b dim"]) -> Float[Tensor, "b dim"]:
        wide = self.up(x)
        value, gate = wide.chunk(2, dim=-1)
        wide = self.pair(wide, gate.sigmoid())
        half = self.pair(wide, gate[:, ::2])
        both = self.scaled(torch.cat([x, value], dim=-1), value)
        both = self.scaled(both, half)
        return self.out(both[:, self.dim :])


# run: Gate(5, 6)(torch.randn(3, 5))
# run: Gate(6, 4)(torch.randn(3, 6))
