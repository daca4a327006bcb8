from dataclasses import dataclass
from enum import Enum

import torch
from torch import nn


class Kind(Enum):
    DENSE = "dense"
    CATEGORY = "category"
    LIST = "list"


@dataclass(frozen=True)
class Feature:
    name: str
    kind: Kind
    size: int = 1
    dim: int = 8


FEATURES = [
    Feature("age", Kind.DENSE),
    Feature("city", Kind.CATEGORY, size=20),
    Feature("genres", Kind.LIST, size=15, dim=6),
]


def width(features):
    return sum(1 if f.kind is Kind.DENSE else f.dim for f in features)  #! return sum(f.dim for f in features)


class Encoder(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.features = features
        self.tables = nn.ModuleDict()
        for f in features:
            if f.kind is Kind.CATEGORY:
                self.tables[f.name] = nn.Embedding(f.size, f.dim)
            elif f.kind is Kind.LIST:
                self.tables[f.name] = nn.EmbeddingBag(f.size, f.dim, mode="mean")

    def forward(self, batch):
        parts = []
        for f in self.features:
            value = batch[f.name]
            parts.append(value.unsqueeze(-1) if f.kind is Kind.DENSE else self.tables[f.name](value))
        return torch.cat(parts, dim=-1)


def main():
    batch = {
        "age": torch.rand(4),
        "city": torch.randint(0, 20, (4,)),
        "genres": torch.randint(0, 15, (4, 3)),
    }
    return nn.Linear(width(FEATURES), 3)(Encoder(FEATURES)(batch))  # E: shape


# run: main()
