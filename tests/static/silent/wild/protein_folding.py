"""Pair representations, triangle updates, outer-product means, frames."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Callable

import torch
import torch.nn as nn
from einops import rearrange
from jaxtyping import Bool, Float, Int
from torch import Tensor


class Transition(nn.Module):
    def __init__(self, dim: int, mult: int = 2) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, dim * mult), nn.ReLU(), nn.Linear(dim * mult, dim))

    def forward(self, x: Float[Tensor, "... dim"]) -> Float[Tensor, "... dim"]:
        return self.net(x)


class TriangleMultiplication(nn.Module):
    def __init__(self, c_z: int, c_hidden: int, outgoing: bool) -> None:
        super().__init__()
        self.norm_in, self.norm_out = nn.LayerNorm(c_z), nn.LayerNorm(c_hidden)
        self.ab = nn.Linear(c_z, 2 * c_hidden)
        self.gate_ab = nn.Linear(c_z, 2 * c_hidden)
        self.gate, self.out = nn.Linear(c_z, c_z), nn.Linear(c_hidden, c_z)
        self.equation = "bikc,bjkc->bijc" if outgoing else "bkic,bkjc->bijc"

    def forward(self, z: Float[Tensor, "b n n c_z"], mask: Bool[Tensor, "b n n"]) -> Float[Tensor, "b n n c_z"]:
        z = self.norm_in(z)
        ab = self.ab(z) * self.gate_ab(z).sigmoid() * mask[..., None]
        a, b = ab.chunk(2, dim=-1)
        x = torch.einsum(self.equation, a, b)
        return self.out(self.norm_out(x)) * self.gate(z).sigmoid()


class TriangleAttention(nn.Module):
    def __init__(self, c_z: int, heads: int, head_dim: int, starting: bool) -> None:
        super().__init__()
        self.heads, self.starting = heads, starting
        self.norm = nn.LayerNorm(c_z)
        self.qkv = nn.Linear(c_z, 3 * heads * head_dim, bias=False)
        self.bias = nn.Linear(c_z, heads, bias=False)
        self.out = nn.Linear(heads * head_dim, c_z)

    def forward(self, z: Float[Tensor, "b n n c_z"], mask: Bool[Tensor, "b n n"]) -> Float[Tensor, "b n n c_z"]:
        if not self.starting:
            z, mask = z.transpose(1, 2), mask.transpose(1, 2)
        z = self.norm(z)
        split = partial(rearrange, pattern="b i j (h d) -> b i h j d", h=self.heads)
        q, k, v = map(split, self.qkv(z).chunk(3, dim=-1))
        bias = self.bias(z).permute(0, 3, 1, 2).unsqueeze(1)
        scores = q @ k.mT * q.shape[-1] ** -0.5 + bias
        scores = scores.masked_fill(~mask[:, :, None, None, :], -1e9)
        out = self.out(rearrange(scores.softmax(-1) @ v, "b i h j d -> b i j (h d)"))
        return out if self.starting else out.transpose(1, 2)


class OuterProductMean(nn.Module):
    def __init__(self, c_m: int, c_z: int, c: int) -> None:
        super().__init__()
        self.a, self.b, self.out = nn.Linear(c_m, c), nn.Linear(c_m, c), nn.Linear(c * c, c_z)

    def forward(self, m: Float[Tensor, "b s n c_m"], mask: Bool[Tensor, "b s n"]) -> Float[Tensor, "b n n c_z"]:
        a, b = self.a(m) * mask[..., None], self.b(m) * mask[..., None]
        outer = torch.einsum("bsic,bsjd->bijcd", a, b).flatten(-2)
        count = torch.einsum("bsi,bsj->bij", mask.float(), mask.float()).clamp(min=1)
        return self.out(outer / count[..., None])


@dataclass
class Rigid:
    rotation: Float[Tensor, "*batch 3 3"]
    translation: Float[Tensor, "*batch 3"]

    @staticmethod
    def from_three(p: Float[Tensor, "*batch 3"], q: Float[Tensor, "*batch 3"], r: Float[Tensor, "*batch 3"]) -> Rigid:
        e0 = nn.functional.normalize(p - q, dim=-1)
        e1 = r - q
        e1 = nn.functional.normalize(e1 - (e0 * e1).sum(-1, keepdim=True) * e0, dim=-1)
        e2 = torch.linalg.cross(e0, e1)
        return Rigid(torch.stack([e0, e1, e2], dim=-1), q)

    def apply(self, x: Float[Tensor, "*batch 3"]) -> Float[Tensor, "*batch 3"]:
        return (self.rotation @ x[..., None])[..., 0] + self.translation

    def invert_apply(self, x: Float[Tensor, "*batch 3"]) -> Float[Tensor, "*batch 3"]:
        return torch.einsum("...ji,...j->...i", self.rotation, x - self.translation)

    def compose(self, other: Rigid) -> Rigid:
        return Rigid(self.rotation @ other.rotation, self.apply(other.translation))

    def __getitem__(self, index) -> Rigid:
        return Rigid(self.rotation[index], self.translation[index])


def fape(frames: Rigid, pred: Float[Tensor, "b n 3"], true_frames: Rigid, true: Float[Tensor, "b n 3"]) -> Float[Tensor, "b"]:
    def local(r: Rigid, x: Float[Tensor, "b n 3"]) -> Float[Tensor, "b n n 3"]:
        d = x[:, None] - r.translation[:, :, None]
        return torch.einsum("bnji,bnmj->bnmi", r.rotation, d)

    error = (local(frames, pred) - local(true_frames, true)).norm(dim=-1)
    return error.clamp(max=10.0).mean(dim=(1, 2))


def distogram(x: Float[Tensor, "b n 3"], bins: int) -> Int[Tensor, "b n n"]:
    edges = torch.linspace(2, 22, bins - 1)
    d = torch.cdist(x, x)
    return (d[..., None] > edges).sum(-1)


def pairwise(fn: Callable[[Tensor, Tensor], Tensor], x: Float[Tensor, "b n d"]) -> Float[Tensor, "b n n _"]:
    return fn(x[:, :, None], x[:, None])


class PairBlock(nn.Module):
    def __init__(self, c_z: int) -> None:
        super().__init__()
        self.ops = nn.ModuleList(
            [TriangleMultiplication(c_z, 6, True), TriangleMultiplication(c_z, 6, False), TriangleAttention(c_z, 2, 3, True), TriangleAttention(c_z, 2, 3, False)]
        )
        self.transition = Transition(c_z)

    def forward(self, z: Float[Tensor, "b n n c_z"], mask: Bool[Tensor, "b n n"]) -> Float[Tensor, "b n n c_z"]:
        for op in self.ops:
            z = z + op(z, mask)
        return z + self.transition(z)


# run: z = randn(2, 5, 5, 4); m = torch.ones(2, 5, 5, dtype=torch.bool); PairBlock(4)(z, m); OuterProductMean(7, 4, 3)(randn(2, 6, 5, 7), torch.ones(2, 6, 5, dtype=torch.bool))
# run: f = Rigid.from_three(randn(2, 5, 3), randn(2, 5, 3), randn(2, 5, 3)); fape(f, randn(2, 5, 3), f, randn(2, 5, 3)); f.compose(f).invert_apply(randn(2, 5, 3)); f[0].apply(randn(5, 3)); distogram(randn(2, 5, 3), 8); pairwise(torch.sub, randn(2, 5, 3)); pairwise(lambda a, b: torch.cat([a.expand(-1, -1, 5, -1), b.expand(-1, 5, -1, -1)], -1), randn(2, 5, 3))
