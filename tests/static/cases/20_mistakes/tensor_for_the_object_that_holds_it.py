from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn


@dataclass
class Batch:
    ids: Int[Tensor, "batch seq"]
    mask: Bool[Tensor, "batch seq"]


class Encoder(nn.Module):
    def __init__(self, vocab: int, dim: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)

    def tokens(self, batch: Batch) -> Float[Tensor, "batch seq dim"]:
        return self.embed(batch.ids) * batch.mask[..., None]

    def forward(self, batch: Batch) -> Float[Tensor, "batch dim"]:
        h = self.tokens(batch)  #! h = self.tokens(batch.ids)  # E: shape
        return h.sum(1) / batch.mask.sum(1)[:, None]


def longest(mask: Bool[Tensor, "batch seq"]) -> int:
    lengths = mask.sum(-1)
    return int(lengths.max())


def used(batch: Batch) -> int:
    return longest(batch.mask)  #! return longest(batch)  # E: shape


# run: b = Batch(torch.zeros(2, 3).long(), torch.ones(2, 3).bool())
# run: Encoder(5, 4)(b), used(b)
