"""A helper method calls the width of one head as the constructor calls that of all."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn


class Attention(nn.Module):
    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, dim)
        self.gain = nn.Parameter(torch.ones(dim // heads))

    def normalised(self, x: Float[Tensor, "b h s dim"]) -> Float[Tensor, "b h s dim"]:
        return x * self.gain / x.norm(dim=-1, keepdim=True)

    def forward(self, x: Float[Tensor, "b s dim"]) -> Float[Tensor, "b s dim"]:
        b, s, d = x.shape
        q = self.qkv(x).view(b, s, self.heads, -1).transpose(1, 2)
        return self.normalised(q).transpose(1, 2).reshape(b, s, d)


# run: Attention(6, 3)(randn(2, 5, 6))
# run: Attention(8, 2)(randn(1, 3, 8))
