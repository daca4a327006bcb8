"""A decoder-only language model with rotary positions and a key-value cache."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor


def build_rope(seq: int, head_dim: int, base: float = 10000.0) -> tuple[Float[Tensor, "seq half"], Float[Tensor, "seq half"]]:
    inv_freq = base ** (-torch.arange(0, head_dim, 2).float() / head_dim)
    angles = torch.outer(torch.arange(seq).float(), inv_freq)
    return angles.cos(), angles.sin()


def apply_rope(
    x: Float[Tensor, "b h t d"],
    cos: Float[Tensor, "t half"],
    sin: Float[Tensor, "t half"],
) -> Float[Tensor, "b h t d"]:
    x1, x2 = x.chunk(2, dim=-1)
    rotated = torch.cat([x1 * cos - x2 * sin, x1 * sin + x2 * cos], dim=-1)
    return rotated.to(x.dtype)


class RMSNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x: Float[Tensor, "... dim"]) -> Float[Tensor, "... dim"]:
        scale = x.pow(2).mean(dim=-1, keepdim=True).add(self.eps).rsqrt()
        return x * scale * self.weight


class Attention(nn.Module):
    def __init__(self, dim: int, n_heads: int, max_len: int):
        super().__init__()
        assert dim % n_heads == 0
        self.n_heads = n_heads
        self.head_dim = dim // n_heads
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.proj = nn.Linear(dim, dim, bias=False)
        cos, sin = build_rope(max_len, self.head_dim)
        self.register_buffer("cos", cos, persistent=False)
        self.register_buffer("sin", sin, persistent=False)
        self.cache: tuple[Tensor, Tensor] | None = None

    def forward(self, x: Float[Tensor, "b t dim"], start: int = 0, use_cache: bool = False) -> Float[Tensor, "b t dim"]:
        b, t, dim = x.shape
        q, k, v = self.qkv(x).split(dim, dim=2)
        q = q.view(b, t, self.n_heads, self.head_dim).transpose(1, 2)
        k = k.view(b, t, self.n_heads, self.head_dim).transpose(1, 2)
        v = v.view(b, t, self.n_heads, self.head_dim).transpose(1, 2)
        cos, sin = self.cos[start : start + t], self.sin[start : start + t]
        q, k = apply_rope(q, cos, sin), apply_rope(k, cos, sin)
        if use_cache:
            if self.cache is not None:
                k = torch.cat([self.cache[0], k], dim=2)
                v = torch.cat([self.cache[1], v], dim=2)
            self.cache = (k, v)
        total = k.shape[2]
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)
        mask = torch.ones(t, total, dtype=torch.bool, device=x.device).tril(diagonal=total - t)
        scores = scores.masked_fill(~mask, float("-inf"))
        weights = scores.softmax(dim=-1)
        out = (weights @ v).transpose(1, 2).reshape(b, t, dim)
        return self.proj(out)


class SwiGLU(nn.Module):
    def __init__(self, dim: int, hidden: int):
        super().__init__()
        self.up = nn.Linear(dim, hidden, bias=False)
        self.gate = nn.Linear(dim, hidden, bias=False)
        self.down = nn.Linear(hidden, dim, bias=False)

    def forward(self, x: Float[Tensor, "b t dim"]) -> Float[Tensor, "b t dim"]:
        return self.down(F.silu(self.gate(x)) * self.up(x))


class Block(nn.Module):
    def __init__(self, dim: int, n_heads: int, max_len: int):
        super().__init__()
        self.norm1 = RMSNorm(dim)
        self.attn = Attention(dim, n_heads, max_len)
        self.norm2 = RMSNorm(dim)
        self.mlp = SwiGLU(dim, 4 * dim)

    def forward(self, x: Float[Tensor, "b t dim"], start: int = 0, use_cache: bool = False) -> Float[Tensor, "b t dim"]:
        x = x + self.attn(self.norm1(x), start, use_cache)
        return x + self.mlp(self.norm2(x))


class GPT(nn.Module):
    def __init__(self, vocab: int, dim: int = 64, depth: int = 2, n_heads: int = 4, max_len: int = 128):
        super().__init__()
        self.max_len = max_len
        self.embed = nn.Embedding(vocab, dim)
        self.blocks = nn.ModuleList([Block(dim, n_heads, max_len) for _ in range(depth)])
        self.norm = RMSNorm(dim)
        self.lm_head = nn.Linear(dim, vocab, bias=False)
        self.lm_head.weight = self.embed.weight

    def forward(self, tokens: Int[Tensor, "b t"], start: int = 0, use_cache: bool = False) -> Float[Tensor, "b t vocab"]:
        x = self.embed(tokens)
        for block in self.blocks:
            x = block(x, start, use_cache)
        return self.lm_head(self.norm(x))

    def loss(self, tokens: Int[Tensor, "b t"], mask: Bool[Tensor, "b t"]) -> Float[Tensor, ""]:
        logits = self(tokens[:, :-1])
        targets = tokens[:, 1:]
        losses = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none")
        weight = mask[:, 1:].flatten().float()
        return (losses * weight).sum() / weight.sum()

    @torch.no_grad()
    def generate(self, prompt: Int[Tensor, "b t"], steps: int, temperature: float = 1.0, top_k: int = 8) -> Int[Tensor, "b out"]:
        for block in self.blocks:
            block.attn.cache = None
        tokens = prompt
        logits = self(prompt, use_cache=True)
        for _ in range(steps):
            last = logits[:, -1, :] / temperature
            values, indices = last.topk(top_k, dim=-1)
            choice = torch.multinomial(values.softmax(-1), num_samples=1)
            following = indices.gather(1, choice)
            tokens = torch.cat([tokens, following], dim=1)
            logits = self(following, start=tokens.shape[1] - 1, use_cache=True)
        return tokens


# run: m = GPT(50)
# run: m.loss(randint(0, 50, (3, 17)), torch.ones(3, 17, dtype=torch.bool)).backward()
# run: m.generate(randint(0, 50, (2, 5)), 4)
