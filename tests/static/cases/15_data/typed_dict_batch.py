from typing import TypedDict

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn


class Batch(TypedDict):
    input_ids: Int[Tensor, "b s"]
    attention_mask: Bool[Tensor, "b s"]


class Encoder(nn.Module):
    def __init__(self, vocab: int, dim: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)

    def forward(self, batch: Batch) -> Float[Tensor, "b dim"]:
        x = self.embed(batch["input_ids"])
        keep = batch["attention_mask"].unsqueeze(-1)  #! keep = batch["attention_mask"].unsqueeze(1)
        return (x * keep).sum(1) / keep.sum(1)  # E: shape


# run: Encoder(11, 3)({"input_ids": randint(0, 11, (2, 5)), "attention_mask": torch.ones(2, 5, dtype=torch.bool)})
