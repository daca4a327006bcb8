"""A small language model: configuration, rotary positions, a cache that grows, sampling, a training step."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Iterator, Optional

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn


@dataclass
class Config:
    vocab: int = 97
    d_model: int = 32
    n_heads: int = 4
    n_kv_heads: int = 2
    n_layers: int = 2
    max_len: int = 64
    dropout: float = 0.0
    d_ff: int = field(init=False)

    def __post_init__(self) -> None:
        if self.d_model % self.n_heads:
            raise ValueError("d_model must be divisible by n_heads")
        self.d_ff = int(8 / 3 * self.d_model) // 8 * 8

    @property
    def head_dim(self) -> int:
        return self.d_model // self.n_heads


class RMSNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x: Float[Tensor, "*batch dim"]) -> Float[Tensor, "*batch dim"]:
        scale = torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + self.eps)
        return x * scale * self.weight


def rope_table(head_dim: int, length: int, theta: float = 10000.0) -> tuple[Tensor, Tensor]:
    freqs = theta ** (-torch.arange(0, head_dim, 2).float() / head_dim)
    angles = torch.outer(torch.arange(length).float(), freqs)
    return angles.cos(), angles.sin()


def rotate(
    x: Float[Tensor, "b h s d"], cos: Float[Tensor, "s half"], sin: Float[Tensor, "s half"]
) -> Float[Tensor, "b h s d"]:
    even, odd = x[..., ::2], x[..., 1::2]
    out = torch.empty_like(x)
    out[..., ::2] = even * cos - odd * sin
    out[..., 1::2] = even * sin + odd * cos
    return out


class Cache:
    def __init__(self, layers: int):
        self.keys: list[Optional[Tensor]] = [None] * layers
        self.values: list[Optional[Tensor]] = [None] * layers

    def __len__(self) -> int:
        first = self.keys[0]
        return 0 if first is None else first.shape[2]

    def update(self, layer: int, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        old_k, old_v = self.keys[layer], self.values[layer]
        if old_k is not None and old_v is not None:
            k = torch.cat([old_k, k], dim=2)
            v = torch.cat([old_v, v], dim=2)
        self.keys[layer], self.values[layer] = k, v
        return k, v


class Attention(nn.Module):
    cos: Tensor
    sin: Tensor

    def __init__(self, cfg: Config, index: int):
        super().__init__()
        self.index = index
        self.n_heads, self.n_kv, self.head_dim = cfg.n_heads, cfg.n_kv_heads, cfg.head_dim
        self.q_proj = nn.Linear(cfg.d_model, cfg.n_heads * cfg.head_dim, bias=False)
        self.k_proj = nn.Linear(cfg.d_model, cfg.n_kv_heads * cfg.head_dim, bias=False)
        self.v_proj = nn.Linear(cfg.d_model, cfg.n_kv_heads * cfg.head_dim, bias=False)
        self.o_proj = nn.Linear(cfg.n_heads * cfg.head_dim, cfg.d_model, bias=False)
        cos, sin = rope_table(cfg.head_dim, cfg.max_len)
        self.register_buffer("cos", cos, persistent=False)
        self.register_buffer("sin", sin, persistent=False)

    def forward(self, x: Float[Tensor, "b s d_model"], cache: Cache | None = None) -> Float[Tensor, "b s d_model"]:
        b, s, _ = x.shape
        start = len(cache) if cache is not None and self.index == 0 else self._seen(cache)
        q = self.q_proj(x).view(b, s, self.n_heads, self.head_dim).transpose(1, 2)
        k = self.k_proj(x).view(b, s, self.n_kv, self.head_dim).transpose(1, 2)
        v = self.v_proj(x).view(b, s, self.n_kv, self.head_dim).transpose(1, 2)
        cos, sin = self.cos[start : start + s], self.sin[start : start + s]
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        if cache is not None:
            k, v = cache.update(self.index, k, v)
        groups = self.n_heads // self.n_kv
        if groups > 1:
            k = k.repeat_interleave(groups, dim=1)
            v = v.repeat_interleave(groups, dim=1)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)
        total = k.shape[2]
        mask = torch.ones(s, total, dtype=torch.bool, device=x.device).tril(total - s)
        scores = scores.masked_fill(~mask, float("-inf"))
        y = scores.softmax(dim=-1) @ v
        return self.o_proj(y.transpose(1, 2).reshape(b, s, -1))

    def _seen(self, cache: Cache | None) -> int:
        if cache is None:
            return 0
        old = cache.keys[self.index]
        return 0 if old is None else old.shape[2]


class SwiGLU(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.gate_up = nn.Linear(cfg.d_model, 2 * cfg.d_ff, bias=False)
        self.down = nn.Linear(cfg.d_ff, cfg.d_model, bias=False)

    def forward(self, x):
        gate, up = self.gate_up(x).chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)


class Block(nn.Module):
    def __init__(self, cfg: Config, index: int):
        super().__init__()
        self.norm1, self.norm2 = RMSNorm(cfg.d_model), RMSNorm(cfg.d_model)
        self.attn, self.mlp = Attention(cfg, index), SwiGLU(cfg)
        self.drop = nn.Dropout(cfg.dropout)

    def forward(self, x: Float[Tensor, "b s d"], cache: Cache | None = None) -> Float[Tensor, "b s d"]:
        x = x + self.drop(self.attn(self.norm1(x), cache))
        return x + self.drop(self.mlp(self.norm2(x)))


class LM(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.embed = nn.Embedding(cfg.vocab, cfg.d_model)
        self.blocks = nn.ModuleList(Block(cfg, i) for i in range(cfg.n_layers))
        self.norm = RMSNorm(cfg.d_model)
        self.head = nn.Linear(cfg.d_model, cfg.vocab, bias=False)
        self.head.weight = self.embed.weight
        self.apply(self._init)

    def _init(self, m: nn.Module) -> None:
        if isinstance(m, (nn.Linear, nn.Embedding)):
            nn.init.normal_(m.weight, std=0.02)

    def forward(
        self, ids: Int[Tensor, "b s"], targets: Optional[Int[Tensor, "b s"]] = None, cache: Cache | None = None
    ) -> tuple[Float[Tensor, "b s v"], Optional[Float[Tensor, ""]]]:
        x = self.embed(ids)
        for block in self.blocks:
            x = block(x, cache)
        logits = self.head(self.norm(x))
        loss = None
        if targets is not None:
            loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-1)
        return logits, loss

    @torch.no_grad()
    def generate(
        self, ids: Int[Tensor, "b s"], max_new: int, top_k: int | None = None, temperature: float = 1.0
    ) -> Int[Tensor, "b t"]:
        cache = Cache(self.cfg.n_layers)
        step = ids
        while ids.shape[1] < max_new + step.shape[1] and ids.shape[1] < self.cfg.max_len:
            logits, _ = self(step, cache=cache)
            last = logits[:, -1] / max(temperature, 1e-5)
            if top_k is not None:
                kth = last.topk(min(top_k, last.size(-1)), dim=-1).values[:, -1:]
                last = last.masked_fill(last < kth, float("-inf"))
            step = torch.multinomial(last.softmax(-1), 1)
            ids = torch.cat([ids, step], dim=1)
            if (step == 0).all():
                break
        return ids


def batches(data: Int[Tensor, "n"], size: int, length: int) -> Iterator[tuple[Int[Tensor, "b s"], Int[Tensor, "b s"]]]:
    for _ in range(2):
        starts = torch.randint(0, len(data) - length - 1, (size,))
        x = torch.stack([data[i : i + length] for i in starts.tolist()])
        y = torch.stack([data[i + 1 : i + 1 + length] for i in starts.tolist()])
        yield x, y


def train(cfg: Config | None = None) -> float:
    cfg = cfg or Config()
    torch.manual_seed(0)
    model = LM(cfg)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    data = torch.randint(0, cfg.vocab, (500,))
    losses: list[float] = []
    for x, y in batches(data, 4, 16):
        _, loss = model(x, y)
        assert loss is not None
        opt.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        losses.append(loss.item())
    out = model.generate(torch.zeros(2, 3, dtype=torch.long), 5, top_k=10)
    assert out.ndim == 2
    return sum(losses) / len(losses)


if __name__ == "__main__":
    print(train())


# run: train()
