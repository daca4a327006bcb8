"""Graph pooling: batches of graphs as a dataclass with __inc__, top-k pooling and unpooling."""
from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Iterable, Self

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn


@dataclass
class Graph:
    x: Float[Tensor, "n c"]
    edges: Int[Tensor, "2 e"]
    y: Tensor | None = None
    batch: Int[Tensor, " n"] | None = None

    def __post_init__(self) -> None:
        if self.batch is None:
            self.batch = torch.zeros(len(self.x), dtype=torch.long)

    @property
    def size(self) -> int:
        return int(self.batch.max()) + 1

    @classmethod
    def collate(cls, graphs: Iterable["Graph"]) -> "Graph":
        graphs = list(graphs)
        sizes = torch.tensor([0] + [g.x.shape[0] for g in graphs])
        starts = sizes.cumsum(0)
        return cls(
            torch.cat([g.x for g in graphs]),
            torch.cat([g.edges + s for g, s in zip(graphs, starts)], dim=1),
            torch.stack([g.y for g in graphs]) if graphs[0].y is not None else None,
            torch.arange(len(graphs)).repeat_interleave(sizes[1:]),
        )

    def to(self, dtype: torch.dtype) -> "Graph":
        moved = {f.name: getattr(self, f.name) for f in fields(self)}
        return Graph(**{k: v.to(dtype) if isinstance(v, Tensor) and v.is_floating_point() else v for k, v in moved.items()})

    def pool(self, how: str = "mean") -> Float[Tensor, "g c"]:
        out = torch.zeros(self.size, self.x.shape[1], dtype=self.x.dtype)
        index = self.batch[:, None].expand(-1, self.x.shape[1])
        return out.scatter_reduce(0, index, self.x, how, include_self=False)


class GCN(nn.Module):
    def __init__(self, cin: int, cout: int) -> None:
        super().__init__()
        self.lin = nn.Linear(cin, cout, bias=False)

    def forward(self, g: Graph) -> Graph:
        n = g.x.shape[0]
        loops = torch.arange(n).expand(2, -1)
        src, dst = torch.cat([g.edges, loops], dim=1)
        deg = torch.zeros(n).index_add_(0, dst, torch.ones(len(dst)))
        norm = deg[src].rsqrt() * deg[dst].rsqrt()
        h = self.lin(g.x)
        return replace(g, x=torch.zeros_like(h).index_add_(0, dst, norm[:, None] * h[src]).relu())


class TopK(nn.Module):
    def __init__(self, c: int, ratio: float = 0.5) -> None:
        super().__init__()
        self.p, self.ratio = nn.Parameter(torch.randn(c)), ratio

    def forward(self, g: Graph) -> tuple[Graph, Int[Tensor, " k"]]:
        score = g.x @ self.p / self.p.norm()
        keep = []
        for b in range(g.size):
            (nodes,) = torch.where(g.batch == b)
            k = max(1, int(self.ratio * len(nodes)))
            keep.append(nodes[score[nodes].topk(k).indices])
        perm = torch.cat(keep)
        new = torch.full((len(g.x),), -1)
        new[perm] = torch.arange(len(perm))
        e = new[g.edges]
        e = e[:, (e >= 0).all(0)]
        return replace(g, x=g.x[perm] * score[perm].tanh()[:, None], edges=e, batch=g.batch[perm]), perm


class UNet(nn.Module):
    def __init__(self, c: int, depth: int, classes: int) -> None:
        super().__init__()
        self.inp = GCN(3, c)
        self.down = nn.ModuleList([GCN(c, c) for _ in range(depth)])
        self.pools = nn.ModuleList([TopK(c) for _ in range(depth)])
        self.up = nn.ModuleList([GCN(2 * c, c) for _ in range(depth)])
        self.out = nn.Linear(c, classes)

    def forward(self, g: Graph) -> tuple[Float[Tensor, "n classes"], Float[Tensor, "g c"]]:
        g = self.inp(g)
        stack: list[tuple[Graph, Tensor]] = []
        for conv, pool in zip(self.down, self.pools):
            small, perm = pool(g)
            stack.append((g, perm))
            g = conv(small)
        bottom = g.pool("amax")
        for up in self.up:
            big, perm = stack.pop()
            x = torch.zeros_like(big.x)
            x[perm] = g.x
            g = up(replace(big, x=torch.cat([big.x, x], -1)))
        return self.out(g.x), bottom


def random_graph(n: int, e: int) -> Graph:
    return Graph(torch.randn(n, 3), torch.randint(n, (2, e)), torch.randn(2))


def main() -> None:
    big = Graph.collate(random_graph(n, 2 * n) for n in (4, 6, 9))
    assert big.x.shape == (19, 3) and big.edges.shape == (2, 38) and big.y is not None and big.y.shape == (3, 2)
    net = UNet(8, 2, 5)
    logits, bottom = net(big)
    assert logits.shape == (19, 5) and bottom.shape == (3, 8)
    per = big.pool()
    double = big.to(torch.float64)
    pooled = double.pool("sum")
    assert per.shape == pooled.shape == (3, 3) and pooled.dtype == torch.float64
    adj = torch.zeros(19, 19)
    adj[big.edges[0], big.edges[1]] = 1
    hops = torch.matrix_power(adj + torch.eye(19), 3) > 0
    counts = hops.sum(1)
    s = F.one_hot(big.batch, 4).float()
    coarse = s.T @ adj @ s
    assert coarse.shape == (4, 4) and counts.shape == (19,)


# run: main()
