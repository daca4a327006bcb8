"""Encoder and decoder with bucketed relative positions and a growing cache."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor

Cache = tuple[Float[Tensor, "b h _ d"], Float[Tensor, "b h _ d"]]


@dataclass
class T5Config:
    vocab_size: int = 47
    d_model: int = 22
    d_kv: int = 5
    num_heads: int = 3
    d_ff: int = 31
    num_layers: int = 2
    num_buckets: int = 8
    max_distance: int = 20


def relative_bucket(
    position: Int[Tensor, "q k"], bidirectional: bool, num_buckets: int, max_distance: int
) -> Int[Tensor, "q k"]:
    buckets = torch.zeros_like(position)
    if bidirectional:
        num_buckets //= 2
        buckets = buckets + (position > 0).long() * num_buckets
        position = position.abs()
    else:
        position = -torch.min(position, torch.zeros_like(position))
    max_exact = num_buckets // 2
    is_small = position < max_exact
    large = max_exact + (
        torch.log(position.float().clamp(min=1) / max_exact)
        / math.log(max_distance / max_exact)
        * (num_buckets - max_exact)
    ).long()
    large = torch.min(large, torch.full_like(large, num_buckets - 1))
    return buckets + torch.where(is_small, position, large)


class RelativeBias(nn.Module):
    def __init__(self, config: T5Config, bidirectional: bool) -> None:
        super().__init__()
        self.config, self.bidirectional = config, bidirectional
        self.table = nn.Embedding(config.num_buckets, config.num_heads)

    def forward(self, q_len: int, k_len: int) -> Float[Tensor, "1 heads {q_len} {k_len}"]:
        context = torch.arange(k_len - q_len, k_len)[:, None]
        memory = torch.arange(k_len)[None, :]
        bucket = relative_bucket(
            memory - context, self.bidirectional, self.config.num_buckets, self.config.max_distance
        )
        values = self.table(bucket)
        return values.permute(2, 0, 1).unsqueeze(0)


class LayerNorm(nn.Module):
    def __init__(self, hidden: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden))
        self.eps = eps

    def forward(self, x: Float[Tensor, "*batch hidden"]) -> Float[Tensor, "*batch hidden"]:
        variance = x.to(torch.float32).pow(2).mean(-1, keepdim=True)
        x = x * torch.rsqrt(variance + self.eps)
        return self.weight * x


class Attention(nn.Module):
    def __init__(self, config: T5Config) -> None:
        super().__init__()
        inner = config.num_heads * config.d_kv
        self.n_heads, self.d_kv = config.num_heads, config.d_kv
        self.q = nn.Linear(config.d_model, inner, bias=False)
        self.k = nn.Linear(config.d_model, inner, bias=False)
        self.v = nn.Linear(config.d_model, inner, bias=False)
        self.o = nn.Linear(inner, config.d_model, bias=False)

    def shape(self, x: Float[Tensor, "b s inner"]) -> Float[Tensor, "b h s d"]:
        return x.view(x.shape[0], -1, self.n_heads, self.d_kv).transpose(1, 2)

    def forward(
        self,
        x: Float[Tensor, "b q model"],
        memory: Float[Tensor, "b k model"] | None = None,
        bias: Float[Tensor, "#b h q t"] | None = None,
        past: Cache | None = None,
    ) -> tuple[Float[Tensor, "b q model"], Cache]:
        source = x if memory is None else memory
        q, k, v = self.shape(self.q(x)), self.shape(self.k(source)), self.shape(self.v(source))
        if past is not None:
            k = torch.cat([past[0], k], dim=2)
            v = torch.cat([past[1], v], dim=2)
        scores = torch.matmul(q, k.transpose(3, 2))
        if bias is not None:
            scores = scores + bias
        weights = F.softmax(scores.float(), dim=-1).type_as(scores)
        out = torch.matmul(weights, v).transpose(1, 2).contiguous().view(x.shape[0], -1, self.n_heads * self.d_kv)
        return self.o(out), (k, v)


class Block(nn.Module):
    def __init__(self, config: T5Config, cross: bool) -> None:
        super().__init__()
        self.norm1, self.norm2, self.norm3 = (LayerNorm(config.d_model) for _ in range(3))
        self.self_attn = Attention(config)
        self.cross_attn = Attention(config) if cross else None
        self.wi = nn.Linear(config.d_model, config.d_ff, bias=False)
        self.wo = nn.Linear(config.d_ff, config.d_model, bias=False)

    def forward(
        self,
        x: Float[Tensor, "b s model"],
        bias: Float[Tensor, "1 h s t"],
        memory: Float[Tensor, "b m model"] | None = None,
        past: Cache | None = None,
    ) -> tuple[Float[Tensor, "b s model"], Cache]:
        attn, present = self.self_attn(self.norm1(x), bias=bias, past=past)
        x = x + attn
        if self.cross_attn is not None and memory is not None:
            x = x + self.cross_attn(self.norm2(x), memory)[0]
        x = x + self.wo(F.relu(self.wi(self.norm3(x))))
        return x, present


class T5(nn.Module):
    def __init__(self, config: T5Config) -> None:
        super().__init__()
        self.shared = nn.Embedding(config.vocab_size, config.d_model)
        self.encoder = nn.ModuleList([Block(config, cross=False) for _ in range(config.num_layers)])
        self.decoder = nn.ModuleList([Block(config, cross=True) for _ in range(config.num_layers)])
        self.enc_bias, self.dec_bias = RelativeBias(config, True), RelativeBias(config, False)
        self.norm = LayerNorm(config.d_model)

    def encode(self, ids: Int[Tensor, "b m"]) -> Float[Tensor, "b m model"]:
        x = self.shared(ids)
        bias = self.enc_bias(ids.shape[1], ids.shape[1])
        for layer in self.encoder:
            x, _ = layer(x, bias)
        return x

    def decode(
        self, ids: Int[Tensor, "b s"], memory: Float[Tensor, "b m model"], past: list[Cache] | None = None
    ) -> tuple[Float[Tensor, "b s vocab"], list[Cache]]:
        offset = 0 if past is None else past[0][0].shape[2]
        q_len = ids.shape[1]
        bias = self.dec_bias(q_len, q_len + offset)
        if q_len > 1:
            keep: Bool[Tensor, "s t"] = torch.ones(q_len, q_len + offset, dtype=torch.bool).tril(offset)
            bias = bias.masked_fill(~keep, float("-inf"))
        x = self.shared(ids)
        presents: list[Cache] = []
        for i, layer in enumerate(self.decoder):
            x, present = layer(x, bias, memory, None if past is None else past[i])
            presents.append(present)
        logits = self.norm(x) @ self.shared.weight.T
        return logits, presents


# run: m = T5(T5Config()); mem = m.encode(randint(0, 47, (2, 11)))
# run: y, cache = m.decode(randint(0, 47, (2, 7)), mem)
# run: y, cache = m.decode(randint(0, 47, (2, 1)), mem, cache)
