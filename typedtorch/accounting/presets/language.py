"""Decoder-only language models: GPT-2 and Llama."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn


class GPT2Block(nn.Module):
    """Pre-norm attention and MLP with biases (Radford et al. 2019)."""

    def __init__(self, d_model: int, heads: int) -> None:
        super().__init__()
        self.heads, self.head_dim = heads, d_model // heads
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.qkv, self.out = nn.Linear(d_model, 3 * d_model), nn.Linear(d_model, d_model)
        self.up, self.down = nn.Linear(d_model, 4 * d_model), nn.Linear(4 * d_model, d_model)

    def forward(self, x: Float[Tensor, "batch seq d_model"]) -> Float[Tensor, "batch seq d_model"]:
        batch, seq, _ = x.shape
        heads = self.qkv(self.norm1(x)).view(batch, seq, 3, self.heads, self.head_dim)
        q, k, v = heads.permute(2, 0, 3, 1, 4).unbind(0)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).flatten(2))
        out: Tensor = x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))
        return out


class GPT2(nn.Module):
    """Token and learned position embeddings, blocks, a head tied to the token embedding."""

    def __init__(
        self, layers: int, heads: int, *, head_dim: int = 64, vocab: int = 50257, context: int = 1024
    ) -> None:
        super().__init__()
        d_model = heads * head_dim
        self.tokens, self.positions = nn.Embedding(vocab, d_model), nn.Embedding(context, d_model)
        self.blocks = nn.ModuleList(GPT2Block(d_model, heads) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(d_model), nn.Linear(d_model, vocab, bias=False)
        self.head.weight = self.tokens.weight

    def forward(self, tokens: Int[Tensor, "batch seq"]) -> Float[Tensor, "batch seq vocab"]:
        x = self.tokens(tokens) + self.positions(torch.arange(tokens.shape[1], device=tokens.device))
        for block in self.blocks:
            x = block(x)
        logits: Tensor = self.head(self.norm(x))
        return logits


class LlamaBlock(nn.Module):
    """RMSNorm, rotary grouped-query attention, SwiGLU, no biases (Llama Team 2024).

    ``bias`` gives queries, keys and values one, as in Qwen 2.
    """

    def __init__(
        self, d_model: int, d_ff: int, heads: int, kv_heads: int, head_dim: int, *, bias: bool = False
    ) -> None:
        super().__init__()
        self.heads, self.kv_heads, self.head_dim = heads, kv_heads, head_dim
        self.grouped = heads != kv_heads
        self.norm1, self.norm2 = nn.RMSNorm(d_model), nn.RMSNorm(d_model)
        self.q = nn.Linear(d_model, heads * head_dim, bias=bias)
        self.k = nn.Linear(d_model, kv_heads * head_dim, bias=bias)
        self.v = nn.Linear(d_model, kv_heads * head_dim, bias=bias)
        self.o = nn.Linear(heads * head_dim, d_model, bias=False)
        self.gate, self.up = nn.Linear(d_model, d_ff, bias=False), nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)

    def forward(
        self, x: Float[Tensor, "batch seq d_model"], turn: Float[Tensor, "2 seq pairs"]
    ) -> Float[Tensor, "batch seq d_model"]:
        batch, seq, _ = x.shape
        h = self.norm1(x)
        q = rotate(self.q(h).view(batch, seq, self.heads, self.head_dim).transpose(1, 2), turn)
        k = rotate(self.k(h).view(batch, seq, self.kv_heads, self.head_dim).transpose(1, 2), turn)
        v = self.v(h).view(batch, seq, self.kv_heads, self.head_dim).transpose(1, 2)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=self.grouped)
        x = x + self.o(mixed.transpose(1, 2).flatten(2))
        h = self.norm2(x)
        out: Tensor = x + self.down(F.silu(self.gate(h)) * self.up(h))
        return out


def rotate(
    x: Float[Tensor, "batch heads seq head_dim"], turn: Float[Tensor, "2 seq pairs"]
) -> Float[Tensor, "batch heads seq head_dim"]:
    """Turn pairs of channels by an angle that grows with the position (Su et al. 2021)."""
    cos, sin = turn.to(x.dtype)
    a, b = x.chunk(2, -1)
    return torch.cat((a * cos - b * sin, a * sin + b * cos), -1)


class Llama(nn.Module):
    """Embedding, blocks, and an output head of its own unless ``tied``."""

    def __init__(
        self, layers: int, d_model: int, d_ff: int, heads: int, *, kv_heads: int = 8, vocab: int = 128256,
        head_dim: int | None = None, tied: bool = False, bias: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        head_dim = d_model // heads if head_dim is None else head_dim
        self.pairs = head_dim // 2
        self.tokens = nn.Embedding(vocab, d_model)
        self.blocks = nn.ModuleList(
            LlamaBlock(d_model, d_ff, heads, kv_heads, head_dim, bias=bias) for _ in range(layers)
        )
        self.norm, self.head = nn.RMSNorm(d_model), nn.Linear(d_model, vocab, bias=False)
        if tied:
            self.head.weight = self.tokens.weight

    def forward(self, tokens: Int[Tensor, "batch seq"]) -> Float[Tensor, "batch seq vocab"]:
        x = self.tokens(tokens)
        where = torch.arange(tokens.shape[1], device=x.device, dtype=torch.float32)
        angle = where[:, None] * 500000.0 ** (-torch.arange(self.pairs, device=x.device) / self.pairs)
        turn = torch.stack((angle.cos(), angle.sin()))
        for block in self.blocks:
            x = block(x, turn)
        logits: Tensor = self.head(self.norm(x))
        return logits
