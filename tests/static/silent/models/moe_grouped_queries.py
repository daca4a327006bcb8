"""Mixture of experts with grouped-query attention, auxiliary losses and a training loop."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterator, Optional

import torch
from einops import pack, rearrange, reduce, repeat, unpack
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional as F


@dataclass
class Config:
    vocab: int = 50
    dim: int = 16
    n_heads: int = 4
    n_kv: int = 2
    n_experts: int = 4
    top_k: int = 2
    hidden: int = 24
    depth: int = 2
    head_dim: int = field(init=False)

    def __post_init__(self) -> None:
        self.head_dim = self.dim // self.n_heads


class GQA(nn.Module):
    def __init__(self, cfg: Config) -> None:
        super().__init__()
        self.cfg = cfg
        self.wq = nn.Linear(cfg.dim, cfg.n_heads * cfg.head_dim, bias=False)
        self.wkv = nn.Linear(cfg.dim, 2 * cfg.n_kv * cfg.head_dim, bias=False)
        self.wo = nn.Linear(cfg.n_heads * cfg.head_dim, cfg.dim, bias=False)
        self.q_norm = nn.RMSNorm(cfg.head_dim)

    def forward(self, x: Float[Tensor, "b s dim"], mask: Optional[Bool[Tensor, "s s"]] = None) -> Float[Tensor, "b s dim"]:
        b, s, _ = x.shape
        q = self.q_norm(self.wq(x).view(b, s, self.cfg.n_heads, self.cfg.head_dim))
        kv = self.wkv(x).view(b, s, 2, self.cfg.n_kv, self.cfg.head_dim)
        k, v = kv.unbind(dim=2)
        groups = self.cfg.n_heads // self.cfg.n_kv
        k = k.repeat_interleave(groups, dim=2)
        v = repeat(v, "b s h d -> b s (h g) d", g=groups)
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) * self.cfg.head_dim**-0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        out = torch.einsum("bhqk,bkhd->bqhd", scores.softmax(dim=-1), v)
        return self.wo(out.flatten(2))


class Experts(nn.Module):
    def __init__(self, n: int, dim: int, hidden: int) -> None:
        super().__init__()
        self.w_in = nn.Parameter(torch.randn(n, dim, hidden) * dim**-0.5)
        self.w_gate = nn.Parameter(torch.randn(n, dim, hidden) * dim**-0.5)
        self.w_out = nn.Parameter(torch.randn(n, hidden, dim) * hidden**-0.5)

    def forward(self, x: Float[Tensor, "tokens dim"]) -> Float[Tensor, "tokens n dim"]:
        h = torch.einsum("td,ndh->tnh", x, self.w_in) * F.silu(torch.einsum("td,ndh->tnh", x, self.w_gate))
        return torch.einsum("tnh,nhd->tnd", h, self.w_out)


@dataclass
class RouterOut:
    weights: Float[Tensor, "tokens k"]
    index: Int[Tensor, "tokens k"]
    balance: Float[Tensor, ""]
    z_loss: Float[Tensor, ""]


class Router(nn.Module):
    def __init__(self, dim: int, n_experts: int, k: int) -> None:
        super().__init__()
        self.gate = nn.Linear(dim, n_experts, bias=False)
        self.k, self.n_experts = k, n_experts

    def forward(self, x: Float[Tensor, "tokens dim"]) -> RouterOut:
        logits = self.gate(x)
        probs = logits.softmax(dim=-1)
        weights, index = torch.topk(probs, self.k, dim=-1)
        weights = weights / weights.sum(dim=-1, keepdim=True)
        load = F.one_hot(index, self.n_experts).float().sum(dim=1).mean(dim=0)
        balance = self.n_experts * torch.dot(load, probs.mean(dim=0))
        z = torch.logsumexp(logits, dim=-1).square().mean()
        return RouterOut(weights, index, balance, z)


class MoELayer(nn.Module):
    def __init__(self, cfg: Config) -> None:
        super().__init__()
        self.router = Router(cfg.dim, cfg.n_experts, cfg.top_k)
        self.experts = Experts(cfg.n_experts, cfg.dim, cfg.hidden)

    def forward(self, x: Float[Tensor, "b s dim"]) -> tuple[Float[Tensor, "b s dim"], Float[Tensor, ""]]:
        flat, ps = pack([x], "* dim")
        r = self.router(flat)
        every = self.experts(flat)
        chosen = every.gather(1, r.index[..., None].expand(-1, -1, flat.shape[-1]))
        out = (chosen * r.weights[..., None]).sum(dim=1)
        (y,) = unpack(out, ps, "* dim")
        return y, r.balance + 1e-3 * r.z_loss


class Layer(nn.Module):
    def __init__(self, cfg: Config) -> None:
        super().__init__()
        self.attn, self.moe = GQA(cfg), MoELayer(cfg)
        self.n1, self.n2 = nn.RMSNorm(cfg.dim), nn.RMSNorm(cfg.dim)

    def forward(self, x: Float[Tensor, "b s dim"], mask: Bool[Tensor, "s s"]) -> tuple[Float[Tensor, "b s dim"], Float[Tensor, ""]]:
        x = x + self.attn(self.n1(x), mask)
        y, aux = self.moe(self.n2(x))
        return x + y, aux


class MoELM(nn.Module):
    def __init__(self, cfg: Config) -> None:
        super().__init__()
        self.embed = nn.Embedding(cfg.vocab, cfg.dim)
        self.layers = nn.ModuleList(Layer(cfg) for _ in range(cfg.depth))
        self.norm = nn.RMSNorm(cfg.dim)

    def forward(self, ids: Int[Tensor, "b s"]) -> tuple[Float[Tensor, "b s vocab"], Float[Tensor, ""]]:
        s = ids.size(1)
        mask = torch.ones(s, s, dtype=torch.bool, device=ids.device).tril()
        x, total = self.embed(ids), torch.zeros((), device=ids.device)
        for layer in self.layers:
            x, aux = layer(x, mask)
            total = total + aux
        return F.linear(self.norm(x), self.embed.weight), total / len(self.layers)


def loss_fn(model: MoELM, ids: Int[Tensor, "b s"], alpha: float = 0.01) -> Float[Tensor, ""]:
    logits, aux = model(ids[:, :-1])
    nll = F.cross_entropy(rearrange(logits, "b s v -> b v s"), ids[:, 1:])
    return nll + alpha * aux


def stream(n: int, b: int, s: int) -> Iterator[Int[Tensor, "b s"]]:
    for _ in range(n):
        yield torch.randint(0, 50, (b, s))


def train(cfg: Config, steps: int = 2) -> list[float]:
    model = torch.compile(MoELM(cfg), disable=True)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=False)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda i: min(1.0, (i + 1) / 10))
    losses = []
    for ids in stream(steps, 2, 9):
        with torch.autocast("cpu", enabled=False):
            loss = loss_fn(model, ids)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        sched.step()
        opt.zero_grad()
        losses.append(loss.item())
    return losses


def example() -> None:
    train(Config())


# run: example()
