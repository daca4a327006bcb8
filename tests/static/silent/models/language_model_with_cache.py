"""A language model: attention with rotary positions, SwiGLU, a cache and generation."""
from __future__ import annotations

import math
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F
from einops import einsum, rearrange
from jaxtyping import Bool, Float, Int
from torch import Tensor


@dataclass(frozen=True)
class ModelConfig:
    vocab_size: int = 64
    context_length: int = 32
    d_model: int = 16
    num_layers: int = 2
    num_heads: int = 4
    d_ff: int = 40
    rope_theta: float = 10_000.0


class Linear(nn.Module):
    def __init__(self, d_in: int, d_out: int, device: torch.device | None = None, dtype: torch.dtype | None = None):
        super().__init__()
        std = math.sqrt(2.0 / (d_in + d_out))
        self.weight = nn.Parameter(torch.empty(d_out, d_in, device=device, dtype=dtype))
        nn.init.trunc_normal_(self.weight, mean=0.0, std=std, a=-3 * std, b=3 * std)

    def forward(self, x: Float[Tensor, "... d_in"]) -> Float[Tensor, "... d_out"]:
        return einsum(x, self.weight, "... d_in, d_out d_in -> ... d_out")


class Embedding(nn.Module):
    def __init__(self, num_embeddings: int, embedding_dim: int):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(num_embeddings, embedding_dim) * 0.02)

    def forward(self, token_ids: Int[Tensor, "..."]) -> Float[Tensor, "... d"]:
        return self.weight[token_ids]


class RMSNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x: Float[Tensor, "... d_model"]) -> Float[Tensor, "... d_model"]:
        in_dtype = x.dtype
        x = x.to(torch.float32)
        rms = (x.pow(2).mean(dim=-1, keepdim=True) + self.eps).sqrt()
        return (x / rms * self.weight).to(in_dtype)


class RotaryEmbedding(nn.Module):
    cos: Float[Tensor, "max_len half"]
    sin: Float[Tensor, "max_len half"]

    def __init__(self, theta: float, d_k: int, max_len: int):
        super().__init__()
        freqs = theta ** (-torch.arange(0, d_k, 2).float() / d_k)
        angles = einsum(torch.arange(max_len).float(), freqs, "t, f -> t f")
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def forward(self, x: Float[Tensor, "... seq d_k"], positions: Int[Tensor, "seq"]) -> Float[Tensor, "... seq d_k"]:
        cos, sin = self.cos[positions], self.sin[positions]
        x1, x2 = rearrange(x, "... (half two) -> two ... half", two=2)
        rotated = torch.stack((x1 * cos - x2 * sin, x1 * sin + x2 * cos))
        return rearrange(rotated, "two ... half -> ... (half two)")


def softmax(x: Float[Tensor, "..."], dim: int) -> Float[Tensor, "..."]:
    shifted = x - x.amax(dim=dim, keepdim=True)
    e = shifted.exp()
    return e / e.sum(dim=dim, keepdim=True)


def scaled_dot_product_attention(
    q: Float[Tensor, "... queries d_k"],
    k: Float[Tensor, "... keys d_k"],
    v: Float[Tensor, "... keys d_v"],
    mask: Bool[Tensor, "queries keys"] | None = None,
) -> Float[Tensor, "... queries d_v"]:
    scores = einsum(q, k, "... q d, ... k d -> ... q k") / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    return einsum(softmax(scores, dim=-1), v, "... q k, ... k d -> ... q d")


@dataclass
class KVCache:
    k: Float[Tensor, "batch heads past d_k"]
    v: Float[Tensor, "batch heads past d_k"]

    def append(self, k: Float[Tensor, "batch heads new d_k"], v: Float[Tensor, "batch heads new d_k"]) -> KVCache:
        return KVCache(torch.cat((self.k, k), dim=-2), torch.cat((self.v, v), dim=-2))


class CausalSelfAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, rope: RotaryEmbedding):
        super().__init__()
        assert d_model % num_heads == 0
        self.num_heads = num_heads
        self.qkv = Linear(d_model, 3 * d_model)
        self.out = Linear(d_model, d_model)
        self.rope = rope

    def forward(self, x: Float[Tensor, "batch seq d_model"], cache: KVCache | None = None) -> tuple[Float[Tensor, "batch seq d_model"], KVCache]:
        q, k, v = rearrange(self.qkv(x), "b s (three h d) -> three b h s d", three=3, h=self.num_heads)
        past = 0 if cache is None else cache.k.shape[-2]
        positions = torch.arange(past, past + x.shape[1], device=x.device)
        q, k = self.rope(q, positions), self.rope(k, positions)
        cache = KVCache(k, v) if cache is None else cache.append(k, v)
        keys = torch.arange(cache.k.shape[-2], device=x.device)
        mask = positions[:, None] >= keys[None, :]
        y = scaled_dot_product_attention(q, cache.k, cache.v, mask)
        return self.out(rearrange(y, "b h s d -> b s (h d)")), cache


class SwiGLU(nn.Module):
    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.w1 = Linear(d_model, d_ff)
        self.w2 = Linear(d_ff, d_model)
        self.w3 = Linear(d_model, d_ff)

    def forward(self, x: Float[Tensor, "... d_model"]) -> Float[Tensor, "... d_model"]:
        gate = self.w1(x)
        return self.w2(gate * torch.sigmoid(gate) * self.w3(x))


class Block(nn.Module):
    def __init__(self, cfg: ModelConfig, rope: RotaryEmbedding):
        super().__init__()
        self.ln1 = RMSNorm(cfg.d_model)
        self.ln2 = RMSNorm(cfg.d_model)
        self.attn = CausalSelfAttention(cfg.d_model, cfg.num_heads, rope)
        self.ffn = SwiGLU(cfg.d_model, cfg.d_ff)

    def forward(self, x: Float[Tensor, "batch seq d_model"], cache: KVCache | None = None) -> tuple[Float[Tensor, "batch seq d_model"], KVCache]:
        y, cache = self.attn(self.ln1(x), cache)
        x = x + y
        return x + self.ffn(self.ln2(x)), cache


class TransformerLM(nn.Module):
    def __init__(self, cfg: ModelConfig):
        super().__init__()
        self.cfg = cfg
        rope = RotaryEmbedding(cfg.rope_theta, cfg.d_model // cfg.num_heads, cfg.context_length)
        self.embed = Embedding(cfg.vocab_size, cfg.d_model)
        self.blocks = nn.ModuleList([Block(cfg, rope) for _ in range(cfg.num_layers)])
        self.norm = RMSNorm(cfg.d_model)
        self.head = Linear(cfg.d_model, cfg.vocab_size)

    def forward(self, ids: Int[Tensor, "batch seq"], caches: list[KVCache] | None = None) -> tuple[Float[Tensor, "batch seq vocab"], list[KVCache]]:
        x = self.embed(ids)
        new: list[KVCache] = []
        for i, block in enumerate(self.blocks):
            x, cache = block(x, None if caches is None else caches[i])
            new.append(cache)
        return self.head(self.norm(x)), new

    @torch.no_grad()
    def generate(self, prompt: Int[Tensor, "batch prompt"], steps: int, temperature: float = 1.0, top_p: float = 0.9) -> Int[Tensor, "batch total"]:
        ids, caches, step_ids = prompt, None, prompt
        for _ in range(steps):
            logits, caches = self(step_ids, caches)
            step_ids = sample(logits[:, -1], temperature, top_p)
            ids = torch.cat((ids, step_ids), dim=-1)
        return ids


def sample(logits: Float[Tensor, "batch vocab"], temperature: float, top_p: float) -> Int[Tensor, "batch 1"]:
    probs = softmax(logits / temperature, dim=-1)
    ordered, index = probs.sort(dim=-1, descending=True)
    drop = ordered.cumsum(dim=-1) - ordered > top_p
    ordered = ordered.masked_fill(drop, 0.0)
    ordered = ordered / ordered.sum(dim=-1, keepdim=True)
    choice = torch.multinomial(ordered, 1)
    return index.gather(-1, choice)


def cross_entropy(logits: Float[Tensor, "batch seq vocab"], targets: Int[Tensor, "batch seq"]) -> Float[Tensor, ""]:
    logits = logits - logits.amax(dim=-1, keepdim=True)
    log_z = logits.exp().sum(dim=-1).log()
    gold = logits.gather(-1, targets[..., None]).squeeze(-1)
    return (log_z - gold).mean()


def example() -> None:
    model = TransformerLM(ModelConfig())
    ids = torch.randint(0, 64, (2, 7))
    logits, _ = model(ids[:, :-1])
    cross_entropy(logits, ids[:, 1:]).backward()
    assert model.generate(ids, 3).shape == (2, 10)


# run: example()
