"""Message passing on batches of molecules: edges, segment softmax, readout, training."""
import math
from dataclasses import dataclass
from typing import NamedTuple, Sequence

import torch
import torch.nn as nn
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor


class Molecule(NamedTuple):
    z: Int[Tensor, "atoms"]
    pos: Float[Tensor, "atoms 3"]
    energy: Float[Tensor, ""]


@dataclass
class GraphBatch:
    z: Int[Tensor, "nodes"]
    pos: Float[Tensor, "nodes 3"]
    graph: Int[Tensor, "nodes"]
    edges: Int[Tensor, "2 n_edges"]
    energy: Float[Tensor, "graphs"]

    @property
    def n_graphs(self) -> int:
        return self.energy.shape[0]


def radius_edges(pos: Float[Tensor, "n 3"], graph: Int[Tensor, "n"], cutoff: float) -> Int[Tensor, "2 e"]:
    dist = torch.cdist(pos, pos)
    close = (dist < cutoff) & (graph[:, None] == graph[None, :])
    close.fill_diagonal_(False)
    return close.nonzero().t()


def collate(mols: Sequence[Molecule], cutoff: float = 2.0) -> GraphBatch:
    z = torch.cat([m.z for m in mols])
    pos = torch.cat([m.pos for m in mols], dim=0)
    graph = torch.cat([torch.full((len(m.z),), i, dtype=torch.long) for i, m in enumerate(mols)])
    energy = torch.stack([m.energy for m in mols])
    return GraphBatch(z, pos, graph, radius_edges(pos, graph, cutoff), energy)


class GaussianBasis(nn.Module):
    centres: Float[Tensor, "k"]

    def __init__(self, k: int, cutoff: float) -> None:
        super().__init__()
        self.register_buffer("centres", torch.linspace(0, cutoff, k))
        self.width = cutoff / k

    def forward(self, d: Float[Tensor, "e"]) -> Float[Tensor, "e k"]:
        return torch.exp(-0.5 * ((d[:, None] - self.centres) / self.width) ** 2)


def segment_sum(x: Float[Tensor, "e *d"], index: Int[Tensor, "e"], n: int) -> Float[Tensor, "{n} *d"]:
    return x.new_zeros(n, *x.shape[1:]).index_add(0, index, x)


def segment_softmax(logits: Float[Tensor, "e h"], index: Int[Tensor, "e"], n: int) -> Float[Tensor, "e h"]:
    expanded = index[:, None].expand_as(logits)
    top = torch.full((n, logits.shape[1]), -math.inf).scatter_reduce(0, expanded, logits, "amax")
    w = (logits - top[index]).exp()
    return w / segment_sum(w, index, n)[index]


class Interaction(nn.Module):
    def __init__(self, dim: int, k: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.filter = nn.Sequential(nn.Linear(k, dim), nn.SiLU(), nn.Linear(dim, dim))
        self.score = nn.Linear(3 * dim, heads)
        self.value = nn.Linear(dim, heads * dim)
        self.out = nn.Linear(heads * dim, dim)

    def forward(self, h: Float[Tensor, "n dim"], edges: Int[Tensor, "2 e"], rbf: Float[Tensor, "e k"]) -> Float[Tensor, "n dim"]:
        src, dst = edges
        w = self.filter(rbf)
        logits = self.score(torch.cat([h[src], h[dst], w], dim=-1))
        alpha = segment_softmax(logits, dst, h.shape[0])
        msg = self.value(h[src] * w).view(-1, self.heads, h.shape[-1])
        agg = segment_sum(alpha[..., None] * msg, dst, h.shape[0])
        return h + self.out(agg.flatten(1))


class SchNet(nn.Module):
    def __init__(self, dim: int = 16, k: int = 8, heads: int = 2, depth: int = 2, cutoff: float = 2.0) -> None:
        super().__init__()
        self.embed = nn.Embedding(100, dim)
        self.basis = GaussianBasis(k, cutoff)
        self.blocks = nn.ModuleList([Interaction(dim, k, heads) for _ in range(depth)])
        self.readout = nn.Sequential(nn.Linear(dim, dim), nn.SiLU(), nn.Linear(dim, 1))

    def forward(self, batch: GraphBatch) -> Float[Tensor, "graphs"]:
        src, dst = batch.edges
        dist = (batch.pos[src] - batch.pos[dst]).norm(dim=-1)
        rbf = self.basis(dist)
        h = self.embed(batch.z)
        for block in self.blocks:
            h = block(h, batch.edges, rbf)
        return segment_sum(self.readout(h).squeeze(-1), batch.graph, batch.n_graphs)


def forces(model: SchNet, batch: GraphBatch) -> Float[Tensor, "nodes 3"]:
    batch.pos.requires_grad_(True)
    energy = model(batch)
    (grad,) = torch.autograd.grad(energy.sum(), batch.pos)
    return -grad


def step(model: SchNet, opt: torch.optim.Optimizer, batch: GraphBatch) -> dict[str, float]:
    opt.zero_grad()
    pred = model(batch)
    loss = F.l1_loss(pred, batch.energy)
    loss.backward()
    opt.step()
    return {"mae": loss.item()}


def example() -> None:
    mols = [Molecule(torch.randint(1, 9, (n,)), torch.randn(n, 3), torch.randn(())) for n in (4, 5, 6)]
    model = SchNet()
    batch = collate(mols)
    step(model, torch.optim.Adam(model.parameters()), batch)
    forces(model, batch)


# run: example()
