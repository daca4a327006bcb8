"""Grouped-query attention transformer configured by a frozen dataclass."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from einops import einsum, rearrange, repeat
from jaxtyping import Bool, Complex, Float, Int
from torch import Tensor, nn
from torch.nn import functional as F


@dataclass(frozen=True)
class Config:
    vocab_size: int = 97
    d_model: int = 48
    n_heads: int = 6
    n_kv_heads: int = 2
    d_ff: int = 96
    n_layers: int = 2
    max_seq: int = 64
    rope_theta: float = 10_000.0
    norm_eps: float = 1e-5

    @property
    def d_head(self) -> int:
        return self.d_model // self.n_heads

    @property
    def group(self) -> int:
        return self.n_heads // self.n_kv_heads


@dataclass
class Output:
    logits: Float[Tensor, "batch seq vocab"]
    hidden: Float[Tensor, "batch seq d_model"]
    loss: Float[Tensor, ""] | None = None


def rope_frequencies(cfg: Config) -> Complex[Tensor, "max_seq half"]:
    freqs = 1.0 / cfg.rope_theta ** (torch.arange(0, cfg.d_head, 2).float() / cfg.d_head)
    angles = torch.outer(torch.arange(cfg.max_seq).float(), freqs)
    return torch.polar(torch.ones_like(angles), angles)


def rotate(x: Float[Tensor, "batch seq heads d_head"], freqs: Complex[Tensor, "seq half"]) -> Float[Tensor, "batch seq heads d_head"]:
    pairs = torch.view_as_complex(rearrange(x, "b s h (half two) -> b s h half two", two=2).contiguous())
    turned = pairs * rearrange(freqs, "s half -> s 1 half")
    return torch.view_as_real(turned).flatten(-2)


def causal_mask(seq: int, device: torch.device) -> Bool[Tensor, "seq seq"]:
    return torch.triu(torch.ones(seq, seq, dtype=torch.bool, device=device), diagonal=1)


class GroupedAttention(nn.Module):
    def __init__(self, cfg: Config) -> None:
        super().__init__()
        self.cfg = cfg
        self.wq = nn.Linear(cfg.d_model, cfg.n_heads * cfg.d_head, bias=False)
        self.wk = nn.Linear(cfg.d_model, cfg.n_kv_heads * cfg.d_head, bias=False)
        self.wv = nn.Linear(cfg.d_model, cfg.n_kv_heads * cfg.d_head, bias=False)
        self.wo = nn.Linear(cfg.n_heads * cfg.d_head, cfg.d_model, bias=False)

    def forward(
        self,
        x: Float[Tensor, "batch seq d_model"],
        freqs: Complex[Tensor, "seq half"],
        mask: Bool[Tensor, "seq seq"],
    ) -> Float[Tensor, "batch seq d_model"]:
        q = rearrange(self.wq(x), "b s (h d) -> b s h d", h=self.cfg.n_heads)
        k = rearrange(self.wk(x), "b s (h d) -> b s h d", h=self.cfg.n_kv_heads)
        v = rearrange(self.wv(x), "b s (h d) -> b s h d", h=self.cfg.n_kv_heads)
        q, k = rotate(q, freqs), rotate(k, freqs)
        k = repeat(k, "b s h d -> b s (h g) d", g=self.cfg.group)
        v = repeat(v, "b s h d -> b s (h g) d", g=self.cfg.group)
        scores = einsum(q, k, "b i h d, b j h d -> b h i j") * self.cfg.d_head**-0.5
        scores = scores.masked_fill(mask, torch.finfo(scores.dtype).min)
        attn = scores.softmax(dim=-1)
        mixed = einsum(attn, v, "b h i j, b j h d -> b i h d")
        return self.wo(rearrange(mixed, "b s h d -> b s (h d)"))


class FeedForward(nn.Module):
    def __init__(self, cfg: Config) -> None:
        super().__init__()
        self.w1 = nn.Linear(cfg.d_model, cfg.d_ff, bias=False)
        self.w2 = nn.Linear(cfg.d_ff, cfg.d_model, bias=False)
        self.w3 = nn.Linear(cfg.d_model, cfg.d_ff, bias=False)

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class Layer(nn.Module):
    def __init__(self, cfg: Config) -> None:
        super().__init__()
        self.attention = GroupedAttention(cfg)
        self.ffn = FeedForward(cfg)
        self.attention_norm = nn.RMSNorm(cfg.d_model, eps=cfg.norm_eps)
        self.ffn_norm = nn.RMSNorm(cfg.d_model, eps=cfg.norm_eps)

    def forward(
        self,
        x: Float[Tensor, "batch seq d_model"],
        freqs: Complex[Tensor, "seq half"],
        mask: Bool[Tensor, "seq seq"],
    ) -> Float[Tensor, "batch seq d_model"]:
        x = x + self.attention(self.attention_norm(x), freqs, mask)
        return x + self.ffn(self.ffn_norm(x))


class Llama(nn.Module):
    freqs: Complex[Tensor, "max_seq half"]

    def __init__(self, cfg: Config) -> None:
        super().__init__()
        self.cfg = cfg
        self.tok = nn.Embedding(cfg.vocab_size, cfg.d_model)
        self.layers = nn.ModuleList(Layer(cfg) for _ in range(cfg.n_layers))
        self.norm = nn.RMSNorm(cfg.d_model, eps=cfg.norm_eps)
        self.unembed = nn.Parameter(torch.randn(cfg.d_model, cfg.vocab_size) * cfg.d_model**-0.5)
        self.register_buffer("freqs", rope_frequencies(cfg))

    def forward(self, tokens: Int[Tensor, "batch seq"], targets: Int[Tensor, "batch seq"] | None = None) -> Output:
        seq = tokens.shape[1]
        h = self.tok(tokens)
        freqs = self.freqs[:seq]
        mask = causal_mask(seq, tokens.device)
        for layer in self.layers:
            h = layer(h, freqs, mask)
        h = self.norm(h)
        logits = einsum(h, self.unembed, "b s d, d v -> b s v")
        loss = None
        if targets is not None:
            loss = F.cross_entropy(rearrange(logits, "b s v -> (b s) v"), rearrange(targets, "b s -> (b s)"))
        return Output(logits, h, loss)


def sequence_log_prob(logits: Float[Tensor, "batch seq vocab"], tokens: Int[Tensor, "batch seq"], mask: Bool[Tensor, "batch seq"]) -> Float[Tensor, "batch"]:
    log_probs = logits.log_softmax(dim=-1)
    picked = log_probs.gather(-1, tokens.unsqueeze(-1)).squeeze(-1)
    return (picked * mask).sum(dim=-1)


def dpo_loss(
    chosen: Float[Tensor, "batch"], rejected: Float[Tensor, "batch"], ref_chosen: Float[Tensor, "batch"],
    ref_rejected: Float[Tensor, "batch"], beta: float = 0.1,
) -> Float[Tensor, ""]:
    margin = (chosen - ref_chosen) - (rejected - ref_rejected)
    return -F.logsigmoid(beta * margin).mean()


# run: m = Llama(Config()); t = randint(0, 97, (3, 11)); o = m(t, t); o.loss.backward()
# run: lp = sequence_log_prob(o.logits, t, torch.rand(3, 11) > 0.3); dpo_loss(lp, lp * 2, lp, lp)
