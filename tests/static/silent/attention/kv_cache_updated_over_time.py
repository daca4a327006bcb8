"""A cache whose tensors change their shape with every call."""

from dataclasses import dataclass, field
from typing import Optional

import torch
from jaxtyping import Float
from torch import Tensor, nn


@dataclass
class LayerCache:
    keys: Optional[Float[Tensor, "batch heads past dim"]] = None
    values: Optional[Float[Tensor, "batch heads past dim"]] = None

    def update(
        self, k: Float[Tensor, "batch heads new dim"], v: Float[Tensor, "batch heads new dim"]
    ) -> tuple[Float[Tensor, "batch heads total dim"], Float[Tensor, "batch heads total dim"]]:
        if self.keys is None or self.values is None:
            self.keys, self.values = k, v
        else:
            self.keys = torch.cat([self.keys, k], dim=2)
            self.values = torch.cat([self.values, v], dim=2)
        return self.keys, self.values

    def crop(self, length: int) -> None:
        if self.keys is not None:
            self.keys = self.keys[:, :, :length]
            self.values = self.values[:, :, :length]

    def __len__(self) -> int:
        return 0 if self.keys is None else self.keys.shape[2]


@dataclass
class Cache:
    layers: list[LayerCache] = field(default_factory=list)

    @classmethod
    def empty(cls, depth: int) -> "Cache":
        return cls([LayerCache() for _ in range(depth)])

    def reorder(self, beam: Tensor) -> None:
        for layer in self.layers:
            if layer.keys is not None:
                layer.keys = layer.keys.index_select(0, beam)
                layer.values = layer.values.index_select(0, beam)


class Attention(nn.Module):
    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)
        self.last_weights = None

    def forward(self, x: Float[Tensor, "batch seq dim"], cache: LayerCache) -> Float[Tensor, "batch seq dim"]:
        b, s, d = x.shape
        q, k, v = self.qkv(x).view(b, s, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        k, v = cache.update(k, v)
        scores = q @ k.mT * k.shape[-1] ** -0.5
        past = k.shape[2] - s
        if s > 1:
            allowed = torch.ones(s, s + past, dtype=torch.bool).tril(past)
            scores = torch.where(allowed, scores, -torch.inf)
        self.last_weights = scores.softmax(-1)
        x = self.last_weights @ v
        x = x.transpose(1, 2).reshape(b, s, d)
        return self.out(x)


def stream(layers: nn.ModuleList, chunks: list[Float[Tensor, "batch _ dim"]]) -> list[Float[Tensor, "batch _ dim"]]:
    cache = Cache.empty(len(layers))
    outputs = []
    for x in chunks:
        for layer, slot in zip(layers, cache.layers):
            x = x + layer(x, slot)
        outputs.append(x)
    cache.reorder(torch.tensor([1, 0]))
    cache.layers[0].crop(3)
    return outputs


# run: stream(nn.ModuleList([Attention(6, 2) for _ in range(2)]), [randn(2, 5, 6), randn(2, 1, 6), randn(2, 3, 6)])
