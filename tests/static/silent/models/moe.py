"""Sparse mixture of experts with top-k routing, capacity and a balance loss."""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from einops import rearrange
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn


class Routing(NamedTuple):
    weights: Float[Tensor, "tokens k"]
    experts: Int[Tensor, "tokens k"]
    probs: Float[Tensor, "tokens n_experts"]


class Expert(nn.Module):
    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x: Float[Tensor, "*tokens d_model"]) -> Float[Tensor, "*tokens d_model"]:
        return self.down(F.silu(self.gate(x)) * self.up(x))


class Router(nn.Module):
    def __init__(self, d_model: int, n_experts: int, k: int) -> None:
        super().__init__()
        self.k = k
        self.weight = nn.Parameter(torch.randn(n_experts, d_model) * d_model**-0.5)

    def forward(self, x: Float[Tensor, "tokens d_model"]) -> Routing:
        logits = F.linear(x, self.weight)
        probs = logits.softmax(dim=-1)
        weights, experts = probs.topk(self.k, dim=-1)
        weights = weights / weights.sum(dim=-1, keepdim=True)
        return Routing(weights, experts, probs)


def balance_loss(
    probs: Float[Tensor, "tokens n_experts"], experts: Int[Tensor, "tokens k"]
) -> Float[Tensor, ""]:
    n_experts = probs.shape[-1]
    chosen = F.one_hot(experts, n_experts).float().sum(dim=1)
    load = chosen.mean(dim=0)
    importance = probs.mean(dim=0)
    return n_experts * torch.sum(load * importance)


def z_loss(logits: Float[Tensor, "tokens n_experts"]) -> Float[Tensor, ""]:
    return torch.logsumexp(logits, dim=-1).square().mean()


class LoopMoE(nn.Module):
    """Experts in a loop, tokens picked with an index."""

    def __init__(self, d_model: int, d_ff: int, n_experts: int, k: int) -> None:
        super().__init__()
        self.router = Router(d_model, n_experts, k)
        self.experts = nn.ModuleList(Expert(d_model, d_ff) for _ in range(n_experts))
        self.aux: Float[Tensor, ""] | None = None

    def forward(self, x: Float[Tensor, "batch seq d_model"]) -> Float[Tensor, "batch seq d_model"]:
        flat = rearrange(x, "b s d -> (b s) d")
        routing = self.router(flat)
        out = torch.zeros_like(flat)
        for i, expert in enumerate(self.experts):
            token, slot = torch.where(routing.experts == i)
            if token.numel() == 0:
                continue
            gate = routing.weights[token, slot, None]
            out.index_add_(0, token, gate * expert(flat[token]))
        self.aux = balance_loss(routing.probs, routing.experts)
        return rearrange(out, "(b s) d -> b s d", b=x.shape[0])


class DenseMoE(nn.Module):
    """Dispatch and combine with einsums, a fixed capacity for each expert."""

    def __init__(self, d_model: int, d_ff: int, n_experts: int, k: int, capacity_factor: float = 1.5) -> None:
        super().__init__()
        self.router = Router(d_model, n_experts, k)
        self.n_experts, self.k, self.capacity_factor = n_experts, k, capacity_factor
        self.w_in = nn.Parameter(torch.randn(n_experts, d_model, d_ff) * 0.02)
        self.w_out = nn.Parameter(torch.randn(n_experts, d_ff, d_model) * 0.02)

    def capacity(self, tokens: int) -> int:
        return max(1, int(self.capacity_factor * tokens * self.k / self.n_experts))

    def masks(
        self, routing: Routing, tokens: int
    ) -> tuple[Bool[Tensor, "tokens n_experts capacity"], Float[Tensor, "tokens n_experts capacity"]]:
        capacity = self.capacity(tokens)
        onehot = F.one_hot(routing.experts, self.n_experts)
        position = (onehot.flatten(0, 1).cumsum(0) - 1).view_as(onehot)
        position = (position * onehot).sum(-1)
        keep = position < capacity
        slots = F.one_hot(position.clamp(max=capacity - 1), capacity).float()
        gates = routing.weights * keep
        combine = torch.einsum("tk,tke,tkc->tec", gates, onehot.float(), slots)
        return combine > 0, combine

    def forward(self, x: Float[Tensor, "batch seq d_model"]) -> Float[Tensor, "batch seq d_model"]:
        b, s, d = x.shape
        tokens = x.reshape(b * s, d)
        dispatch, combine = self.masks(self.router(tokens), b * s)
        inputs = torch.einsum("tec,td->ecd", dispatch.float(), tokens)
        hidden = F.gelu(torch.bmm(inputs, self.w_in))
        outputs = torch.bmm(hidden, self.w_out)
        mixed = torch.einsum("tec,ecd->td", combine, outputs)
        return mixed.view(b, s, d)


class Block(nn.Module):
    def __init__(self, d_model: int, d_ff: int, n_experts: int, k: int, dense: bool) -> None:
        super().__init__()
        self.norm = nn.RMSNorm(d_model)
        kind = DenseMoE if dense else LoopMoE
        self.moe = kind(d_model, d_ff, n_experts, k)

    def forward(self, x: Float[Tensor, "batch seq d_model"]) -> Float[Tensor, "batch seq d_model"]:
        return x + self.moe(self.norm(x))


# run: Block(5, 7, 4, 2, True)(randn(2, 11, 5)); Block(5, 7, 4, 2, False)(randn(2, 11, 5))
# run: z_loss(randn(13, 4))
# run: m = LoopMoE(5, 7, 3, 1); m(randn(2, 3, 5)); m.aux.item()
