"""A tabular pipeline: column types, vocabularies, missing values, embeddings, numpy in the middle."""
from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol, Sequence, runtime_checkable

import numpy as np
import torch
import torch.nn as nn
from jaxtyping import Float, Int
from torch import Tensor


@runtime_checkable
class Column(Protocol):
    name: str

    def fit(self, raw: Sequence) -> Column: ...

    def encode(self, raw: Sequence) -> Tensor: ...

    @property
    def width(self) -> int: ...


@dataclass
class Numeric:
    name: str
    mean: float = 0.0
    std: float = 1.0

    def fit(self, raw):
        a = np.array([np.nan if r is None else r for r in raw], dtype=np.float32)
        self.mean, self.std = float(np.nanmean(a)), float(np.nanstd(a)) or 1.0
        return self

    def encode(self, raw) -> Float[Tensor, "n 2"]:
        a = np.array([np.nan if r is None else r for r in raw], dtype=np.float32)
        missing = np.isnan(a)
        z = (np.where(missing, self.mean, a) - self.mean) / self.std
        return torch.from_numpy(np.stack([z, missing], axis=1).astype(np.float32))

    width = property(lambda self: 2)


@dataclass
class Category:
    name: str
    vocab: tuple[str, ...] = ()
    unknown: ClassVar[int] = 0

    def fit(self, raw):
        self.vocab = tuple(sorted({r for r in raw if r is not None}))
        return self

    def encode(self, raw) -> Int[Tensor, "n"]:
        index = {v: i + 1 for i, v in enumerate(self.vocab)}
        return torch.tensor([index.get(r, self.unknown) for r in raw])

    @property
    def width(self) -> int:
        return min(8, (len(self.vocab) + 1) // 2 + 1)


class Embedder(nn.Module):
    def __init__(self, columns: Sequence[Column]):
        super().__init__()
        self.columns = list(columns)
        self.tables = nn.ModuleDict(
            {c.name: nn.Embedding(len(c.vocab) + 1, c.width) for c in columns if isinstance(c, Category)}
        )
        self.width = sum(c.width for c in columns)

    def forward(self, rows: dict[str, Tensor]) -> Float[Tensor, "n d"]:
        parts = []
        for c in self.columns:
            x = rows[c.name]
            parts.append(self.tables[c.name](x) if c.name in self.tables else x)
        return torch.cat(parts, dim=1)


def batches(rows: dict[str, Tensor], size: int):
    n = len(next(iter(rows.values())))
    order = torch.randperm(n)
    for start in range(0, n, size):
        idx = order[start : start + size]
        yield {k: v[idx] for k, v in rows.items()}


def main():
    data = {
        "age": [31, None, 45, 28, 60],
        "city": ["rome", "oslo", None, "rome", "lima"],
        "plan": ["a", "b", "a", None, "a"],
    }
    columns: list[Column] = [Numeric("age"), Category("city"), Category("plan")]
    rows = {c.name: c.fit(data[c.name]).encode(data[c.name]) for c in columns}
    emb = Embedder(columns)
    model = nn.Sequential(emb, nn.Linear(emb.width, 4), nn.ReLU(), nn.Linear(4, 1))
    outs = [model(batch).squeeze(-1) for batch in batches(rows, 2)]
    joined = torch.cat(outs)
    full = emb(rows)
    corr = torch.corrcoef(full.T)
    ranks = full.argsort(0).argsort(0)
    age, city = rows["age"], rows["city"]
    return joined, corr, ranks, age.nanmean(0), city, emb.width


# run: main()
