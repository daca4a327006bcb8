import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn


@dataclass
class Past:
    keys: Float[Tensor, "batch past heads head_dim"]
    values: Float[Tensor, "batch past heads head_dim"]


class Attention(nn.Module):
    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads, self.head_dim = heads, dim // heads
        self.q, self.k, self.v = nn.Linear(dim, dim), nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(
        self, x: Float[Tensor, "batch seq dim"], past: Past | None = None
    ) -> tuple[Float[Tensor, "batch seq dim"], Past]:
        batch, seq, dim = x.shape
        q, k, v = (f(x).view(batch, seq, self.heads, self.head_dim) for f in (self.q, self.k, self.v))
        if past is not None:
            k = torch.cat([past.keys, k], dim=1)  #! k = torch.cat([past.keys, k], dim=2)
            v = torch.cat([past.values, v], dim=1)
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(self.head_dim)  # E: shape
        seq, total = q.shape[1], k.shape[1]
        mask = torch.ones(seq, total, dtype=torch.bool).tril(total - seq)
        scores = scores.masked_fill(~mask, float("-inf"))
        out = torch.einsum("bhqk,bkhd->bqhd", scores.softmax(-1), v)
        return self.out(out.flatten(2)), Past(k, v)  # e: shape


def decode(dim: int, heads: int, steps: int) -> Float[Tensor, "1 1 dim"]:
    attention, past = Attention(dim, heads), None
    x = torch.randn(1, 1, dim)
    for _ in range(steps):
        x, past = attention(x, past)
    return x


# run: decode(8, 2, 3), Attention(8, 2)(torch.randn(3, 4, 8), Past(torch.randn(3, 5, 2, 4), torch.randn(3, 5, 2, 4)))
