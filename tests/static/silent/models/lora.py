"""Low-rank adapters: injected into any module, merged, and listed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

import torch
import torch.nn as nn
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor


class LoRALinear(nn.Module):
    def __init__(self, base: nn.Linear, rank: int, alpha: float = 16.0, dropout: float = 0.0) -> None:
        super().__init__()
        self.base = base
        for p in base.parameters():
            p.requires_grad_(False)
        d_out, d_in = base.weight.shape
        self.rank = rank
        self.scaling = alpha / rank
        self.lora_a = nn.Parameter(torch.empty(rank, d_in))
        self.lora_b = nn.Parameter(torch.zeros(d_out, rank))
        self.dropout = nn.Dropout(dropout) if dropout > 0 else nn.Identity()
        self.merged = False
        nn.init.kaiming_uniform_(self.lora_a, a=math.sqrt(5))

    def delta(self) -> Float[Tensor, "d_out d_in"]:
        return self.lora_b @ self.lora_a * self.scaling

    def forward(self, x: Float[Tensor, "*batch d_in"]) -> Float[Tensor, "*batch d_out"]:
        out = self.base(x)
        if self.merged or self.rank == 0:
            return out
        update = F.linear(F.linear(self.dropout(x), self.lora_a), self.lora_b)
        return out + update * self.scaling

    @torch.no_grad()
    def merge(self) -> None:
        if not self.merged:
            self.base.weight += self.delta()
            self.merged = True

    @torch.no_grad()
    def unmerge(self) -> None:
        if self.merged:
            self.base.weight -= self.delta()
            self.merged = False


class DoRALinear(LoRALinear):
    def __init__(self, base: nn.Linear, rank: int, alpha: float = 16.0) -> None:
        super().__init__(base, rank, alpha)
        self.magnitude = nn.Parameter(base.weight.detach().norm(dim=1))

    def forward(self, x: Float[Tensor, "*batch d_in"]) -> Float[Tensor, "*batch d_out"]:
        weight = self.base.weight + self.delta()
        direction = weight / weight.norm(dim=1, keepdim=True)
        return F.linear(x, self.magnitude[:, None] * direction, self.base.bias)


def inject(module: nn.Module, names: set[str], rank: int, kind: type[LoRALinear] = LoRALinear) -> int:
    count = 0
    for name, child in list(module.named_children()):
        if isinstance(child, nn.Linear) and name in names:
            setattr(module, name, kind(child, rank))
            count += 1
        else:
            count += inject(child, names, rank, kind)
    return count


def adapters(module: nn.Module) -> Iterator[LoRALinear]:
    for m in module.modules():
        if isinstance(m, LoRALinear):
            yield m


@contextmanager
def merged(module: nn.Module) -> Iterator[None]:
    for m in adapters(module):
        m.merge()
    try:
        yield
    finally:
        for m in adapters(module):
            m.unmerge()


class Attention(nn.Module):
    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.q_proj = nn.Linear(dim, dim)
        self.k_proj = nn.Linear(dim, dim)
        self.v_proj = nn.Linear(dim, dim)
        self.o_proj = nn.Linear(dim, dim)

    def _split(self, x: Float[Tensor, "b s dim"]) -> Float[Tensor, "b heads s head_dim"]:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x: Float[Tensor, "b s dim"]) -> Float[Tensor, "b s dim"]:
        q, k, v = (self._split(p(x)) for p in (self.q_proj, self.k_proj, self.v_proj))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.o_proj(y.transpose(1, 2).flatten(2))


class Classifier(nn.Module):
    def __init__(self, vocab: int, dim: int, heads: int, classes: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.attn = Attention(dim, heads)
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, classes)

    def forward(self, ids: Int[Tensor, "b s"]) -> Float[Tensor, "b classes"]:
        x = self.embed(ids)
        x = x + self.attn(self.norm(x))
        return self.head(x.mean(dim=1))


def trainable(model: nn.Module) -> tuple[int, int]:
    total = sum(p.numel() for p in model.parameters())
    return sum(p.numel() for p in model.parameters() if p.requires_grad), total


def effective_rank(delta: Float[Tensor, "d_out d_in"]) -> float:
    s = torch.linalg.svdvals(delta)
    p = s / s.sum().clamp(min=1e-12)
    entropy = -(p * p.clamp(min=1e-12).log()).sum()
    return math.exp(cast(float, entropy.item()))


# run: m = Classifier(23, 12, 3, 5); inject(m, {"q_proj", "v_proj"}, 2); inject(m, {"head"}, 2, DoRALinear)
# run: ids = randint(0, 23, (2, 7)); m(ids); trainable(m)
# run: ctx = merged(m.attn); ctx.__enter__(); m(ids); ctx.__exit__(None, None, None)
# run: [effective_rank(a.delta()) for a in adapters(m)]
