"""Equivariant message passing for molecules: edge-list scatter, radial basis, energy and forces."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F


@dataclass
class Molecules:
    """A batch of molecules as one disconnected graph."""

    z: Int[Tensor, "atoms"]
    pos: Float[Tensor, "atoms 3"]
    batch: Int[Tensor, "atoms"]
    edge_index: Int[Tensor, "2 edges"]

    @property
    def num_graphs(self) -> int:
        return int(self.batch.max()) + 1


def scatter_sum(src: Float[Tensor, "n d"], index: Int[Tensor, "n"], size: int) -> Float[Tensor, "size d"]:
    out = torch.zeros(size, src.shape[1], dtype=src.dtype, device=src.device)
    return out.index_add(0, index, src)


def radius_graph(pos: Float[Tensor, "atoms 3"], batch: Int[Tensor, "atoms"], cutoff: float) -> Int[Tensor, "2 edges"]:
    dist = torch.cdist(pos, pos)
    same = batch[:, None] == batch[None, :]
    adj = (dist < cutoff) & same & ~torch.eye(len(pos), dtype=torch.bool)
    return adj.nonzero().t()


class GaussianSmearing(nn.Module):
    offset: Float[Tensor, "n_rbf"]

    def __init__(self, n_rbf: int, cutoff: float):
        super().__init__()
        self.register_buffer("offset", torch.linspace(0.0, cutoff, n_rbf))
        self.gamma = 0.5 * (n_rbf / cutoff) ** 2

    def forward(self, dist: Float[Tensor, "edges"]) -> Float[Tensor, "edges n_rbf"]:
        return torch.exp(-self.gamma * (dist[:, None] - self.offset[None, :]) ** 2)


def cosine_cutoff(dist: Float[Tensor, "edges"], cutoff: float) -> Float[Tensor, "edges"]:
    return 0.5 * (torch.cos(dist * math.pi / cutoff) + 1.0) * (dist < cutoff)


class PaiNNLayer(nn.Module):
    def __init__(self, hidden: int, n_rbf: int):
        super().__init__()
        self.hidden = hidden
        self.phi = nn.Sequential(nn.Linear(hidden, hidden), nn.SiLU(), nn.Linear(hidden, 3 * hidden))
        self.filter = nn.Linear(n_rbf, 3 * hidden)
        self.mix = nn.Linear(hidden, 2 * hidden, bias=False)
        self.update = nn.Sequential(nn.Linear(2 * hidden, hidden), nn.SiLU(), nn.Linear(hidden, 3 * hidden))

    def message(
        self,
        s: Float[Tensor, "atoms hidden"],
        v: Float[Tensor, "atoms 3 hidden"],
        edge_index: Int[Tensor, "2 edges"],
        rbf: Float[Tensor, "edges n_rbf"],
        unit: Float[Tensor, "edges 3"],
    ) -> tuple[Float[Tensor, "atoms hidden"], Float[Tensor, "atoms 3 hidden"]]:
        src, dst = edge_index
        weights = self.phi(s)[src] * self.filter(rbf)
        ds, dv1, dv2 = weights.split(self.hidden, dim=-1)
        dv = v[src] * dv1.unsqueeze(1) + unit.unsqueeze(-1) * dv2.unsqueeze(1)
        s = s + scatter_sum(ds, dst, s.shape[0])
        v = v + torch.zeros_like(v).index_add(0, dst, dv)
        return s, v

    def forward(
        self,
        s: Float[Tensor, "atoms hidden"],
        v: Float[Tensor, "atoms 3 hidden"],
        edge_index: Int[Tensor, "2 edges"],
        rbf: Float[Tensor, "edges n_rbf"],
        unit: Float[Tensor, "edges 3"],
    ) -> tuple[Float[Tensor, "atoms hidden"], Float[Tensor, "atoms 3 hidden"]]:
        s, v = self.message(s, v, edge_index, rbf, unit)
        u, w = self.mix(v).chunk(2, dim=-1)
        norm = w.norm(dim=1)
        a, b, c = self.update(torch.cat([s, norm], dim=-1)).chunk(3, dim=-1)
        inner = (u * w).sum(dim=1)
        return s + a + b * inner, v + c.unsqueeze(1) * u


class PaiNN(nn.Module):
    def __init__(self, hidden: int = 16, n_rbf: int = 8, depth: int = 2, cutoff: float = 3.0, max_z: int = 20):
        super().__init__()
        self.cutoff = cutoff
        self.embed = nn.Embedding(max_z, hidden)
        self.rbf = GaussianSmearing(n_rbf, cutoff)
        self.layers = nn.ModuleList([PaiNNLayer(hidden, n_rbf) for _ in range(depth)])
        self.readout = nn.Sequential(nn.Linear(hidden, hidden // 2), nn.SiLU(), nn.Linear(hidden // 2, 1))

    def forward(self, mol: Molecules) -> Float[Tensor, "graphs"]:
        src, dst = mol.edge_index
        diff = mol.pos[dst] - mol.pos[src]
        dist = diff.norm(dim=-1)
        unit = diff / dist.unsqueeze(-1)
        rbf = self.rbf(dist) * cosine_cutoff(dist, self.cutoff)[:, None]
        s = self.embed(mol.z)
        v = s.new_zeros(s.shape[0], 3, s.shape[1])
        for layer in self.layers:
            s, v = layer(s, v, mol.edge_index, rbf, unit)
        energy = self.readout(s)
        return scatter_sum(energy, mol.batch, mol.num_graphs).squeeze(-1)

    def energy_and_forces(self, mol: Molecules) -> tuple[Float[Tensor, "graphs"], Float[Tensor, "atoms 3"]]:
        mol.pos.requires_grad_(True)
        energy = self(mol)
        (grad,) = torch.autograd.grad(energy.sum(), mol.pos, create_graph=True)
        return energy, -grad


def force_loss(
    energy: Float[Tensor, "graphs"], forces: Float[Tensor, "atoms 3"],
    target_energy: Float[Tensor, "graphs"], target_forces: Float[Tensor, "atoms 3"], rho: float = 0.9,
) -> Float[Tensor, ""]:
    e = F.mse_loss(energy, target_energy)
    f = (forces - target_forces).square().sum(dim=-1).mean()
    return (1 - rho) * e + rho * f


# run: b = torch.tensor([0] * 5 + [1] * 4); p = randn(9, 3)
# run: mol = Molecules(randint(1, 20, (9,)), p, b, radius_graph(p, b, 3.0)); m = PaiNN()
# run: e, f = m.energy_and_forces(mol); force_loss(e, f, randn(2), randn(9, 3)).backward()
