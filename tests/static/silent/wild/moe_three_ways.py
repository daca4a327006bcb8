"""Mixtures of experts: capacity, sorted dispatch, expert choice, shared experts, gates with noise, balance losses."""
from __future__ import annotations

import math
from typing import Optional

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn


class Experts(nn.Module):
    def __init__(self, n: int, d: int, h: int) -> None:
        super().__init__()
        self.up = nn.Parameter(torch.randn(n, d, 2 * h) * d**-0.5)
        self.down = nn.Parameter(torch.randn(n, h, d) * h**-0.5)

    def forward(self, x: Float[Tensor, "n c d"]) -> Float[Tensor, "n c d"]:
        gate, value = torch.bmm(x, self.up).chunk(2, -1)
        return torch.bmm(F.silu(gate) * value, self.down)

    def one(self, i: int, x: Float[Tensor, "t d"]) -> Float[Tensor, "t d"]:
        g, v = (x @ self.up[i]).chunk(2, -1)
        return (g.sigmoid() * v) @ self.down[i]


class Router(nn.Module):
    def __init__(self, d: int, n: int, k: int, noisy: bool = False) -> None:
        super().__init__()
        self.w, self.k = nn.Linear(d, n, bias=False), k
        self.noise = nn.Linear(d, n) if noisy else None
        self.bias: Tensor
        self.register_buffer("bias", torch.zeros(n))
        self.last: Optional[Float[Tensor, "t n"]] = None

    def forward(self, x: Float[Tensor, "t d"]) -> tuple[Float[Tensor, "t k"], Int[Tensor, "t k"]]:
        logits = self.w(x)
        if self.noise is not None and self.training:
            logits = logits + torch.randn_like(logits) * F.softplus(self.noise(x))
        p = logits.softmax(-1)
        self.last = p
        _, idx = (p + self.bias).topk(self.k, dim=-1)
        gate = p.gather(-1, idx)
        return gate / gate.sum(-1, keepdim=True), idx

    @torch.no_grad()
    def rebalance(self, idx: Int[Tensor, "t k"], rate: float = 1e-2) -> None:
        load = torch.bincount(idx.flatten(), minlength=self.bias.numel()).float()
        self.bias += rate * (load.mean() - load).sign()


class Capacity(nn.Module):
    """One-hot dispatch, tokens beyond the capacity dropped."""

    def __init__(self, d: int, n: int, *, factor: float = 1.25, k: int = 2) -> None:
        super().__init__()
        self.router, self.experts, self.factor = Router(d, n, k, noisy=True), Experts(n, d, 2 * d), factor

    def forward(self, x: Float[Tensor, "b s d"]) -> Float[Tensor, "b s d"]:
        flat = x.reshape(-1, x.shape[-1])
        t, n = flat.shape[0], self.router.bias.numel()
        gate, idx = self.router(flat)
        c = math.ceil(t * self.router.k * self.factor / n)
        hot = F.one_hot(idx, n)
        place = hot.transpose(0, 1).reshape(-1, n).cumsum(0).view(self.router.k, t, n).transpose(0, 1) - 1
        keep = (place < c) & hot.bool()
        slot = F.one_hot(place.clamp(0, c - 1), c) * keep[..., None]
        dispatch = slot.sum(1).to(x.dtype)
        combine = (slot * gate[..., None, None]).sum(1)
        inputs = torch.einsum("tnc,td->ncd", dispatch, flat)
        out = torch.einsum("tnc,ncd->td", combine, self.experts(inputs))
        return out.view_as(x)


class Sorted(nn.Module):
    def __init__(self, d: int, n: int, k: int = 2, shared: int = 0) -> None:
        super().__init__()
        self.router, self.experts, self.n = Router(d, n, k), Experts(n, d, d), n
        self.shared = nn.ModuleList(nn.Linear(d, d) for _ in range(shared))

    def forward(self, x: Float[Tensor, "*b d"]) -> Float[Tensor, "*b d"]:
        shape = x.shape
        x = x.view(-1, shape[-1])
        gate, idx = self.router(x)
        order = idx.flatten().argsort(stable=True)
        token = order // self.router.k
        counts = torch.bincount(idx.flatten(), minlength=self.n)
        chunks = x[token].split(counts.tolist())
        outs = [self.experts.one(i, c) if len(c) else c for i, c in enumerate(chunks)]
        y = torch.cat(outs) * gate.flatten()[order, None]
        result = torch.zeros_like(x).index_add_(0, token, y)
        for s in self.shared:
            result = result + s(x)
        return result.view(shape)


def expert_choice(x: Float[Tensor, "t d"], w: Float[Tensor, "d n"], experts: Experts, capacity: int) -> Float[Tensor, "t d"]:
    score = (x @ w).softmax(-1)
    g, i = score.T.topk(capacity, dim=-1)
    y = experts(x[i]) * g.unsqueeze(-1)
    return torch.zeros_like(x).index_add(0, i.flatten(), y.flatten(0, 1))


def balance(p: Float[Tensor, "t n"], idx: Int[Tensor, "t k"]) -> Float[Tensor, ""]:
    f = F.one_hot(idx, p.shape[1]).float().mean((0, 1))
    return p.shape[1] * (f * p.mean(0)).sum()


def main() -> None:
    x = torch.randn(2, 9, 8)
    a = Capacity(8, 4)
    y = a(x)
    assert y.shape == x.shape and a.router.last is not None
    b = Sorted(8, 5, shared=2)
    z = b(x)
    v = b(torch.randn(7, 8))
    u = b(torch.randn(8))
    assert z.shape == (2, 9, 8) and v.shape == (7, 8) and u.shape == (8,)
    gate, idx = b.router(x.flatten(0, 1))
    b.router.rebalance(idx)
    p = b.router.last
    assert p is not None and p.shape == (18, 5) and balance(p, idx).shape == ()
    w = expert_choice(x[0], torch.randn(8, 4), a.experts, 3)
    merged = a.experts.up.mean(0)
    top = a.experts.up.flatten(1).norm(dim=1).topk(2).indices
    a.experts.up = nn.Parameter(a.experts.up[top])
    a.experts.down = nn.Parameter(a.experts.down[top])
    small = a.experts(torch.randn(2, 5, 8))
    assert w.shape == (9, 8) and merged.shape == (8, 32) and small.shape == (2, 5, 8)


# run: main()
