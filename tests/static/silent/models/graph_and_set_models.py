"""Messages on graphs, pooling of ragged sets, attention over sets, readouts chosen by name."""

from __future__ import annotations

from enum import Enum
from functools import cached_property, partial, reduce
from typing import Callable, Generic, Iterable, Optional, TypeVar

import torch
import torch.nn.functional as F
from einops import rearrange, reduce as ereduce, repeat
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn


class Readout(Enum):
    SUM = "sum"
    MEAN = "mean"
    MAX = "max"


class Graph:
    def __init__(
        self,
        x: Float[Tensor, "n f"],
        edges: Int[Tensor, "2 e"],
        batch: Optional[Int[Tensor, "n"]] = None,
        weights: Optional[Float[Tensor, "e"]] = None,
    ):
        self.x, self.edges = x, edges
        self.batch = torch.zeros(len(x), dtype=torch.long) if batch is None else batch
        self.weights = torch.ones(edges.shape[1]) if weights is None else weights

    @cached_property
    def num_graphs(self) -> int:
        return int(self.batch.max()) + 1

    @property
    def degree(self) -> Float[Tensor, "n"]:
        return torch.zeros(len(self.x)).index_add(0, self.edges[1], self.weights)

    @classmethod
    def collate(cls, graphs: Iterable["Graph"]) -> "Graph":
        xs, es, bs, ws = [], [], [], []
        offset = 0
        for i, g in enumerate(graphs):
            xs.append(g.x)
            es.append(g.edges + offset)
            bs.append(torch.full((len(g.x),), i))
            ws.append(g.weights)
            offset += len(g.x)
        return cls(torch.cat(xs), torch.cat(es, dim=1), torch.cat(bs), torch.cat(ws))


def scatter(x: Float[Tensor, "n d"], index: Int[Tensor, "n"], size: int, how: Readout = Readout.SUM) -> Float[Tensor, "k d"]:
    match how:
        case Readout.SUM:
            return x.new_zeros(size, x.shape[1]).index_add_(0, index, x)
        case Readout.MEAN:
            total = x.new_zeros(size, x.shape[1]).index_add_(0, index, x)
            count = torch.bincount(index, minlength=size).clamp(min=1)
            return total / count[:, None]
        case Readout.MAX:
            out = x.new_full((size, x.shape[1]), float("-inf"))
            return out.scatter_reduce_(0, index[:, None].expand_as(x), x, reduce="amax")
    raise ValueError(how)


class GATLayer(nn.Module):
    def __init__(self, d_in: int, d_out: int, heads: int = 2, concat: bool = True):
        super().__init__()
        self.heads, self.concat = heads, concat
        self.lin = nn.Linear(d_in, heads * d_out, bias=False)
        self.a_src = nn.Parameter(torch.randn(heads, d_out) * 0.1)
        self.a_dst = nn.Parameter(torch.randn(heads, d_out) * 0.1)

    @property
    def out_features(self) -> int:
        d = self.a_src.shape[1]
        return self.heads * d if self.concat else d

    def forward(self, x: Float[Tensor, "n d_in"], edges: Int[Tensor, "2 e"]) -> Float[Tensor, "n out"]:
        h = rearrange(self.lin(x), "n (h d) -> n h d", h=self.heads)
        src, dst = edges
        logits = F.leaky_relu((h * self.a_src).sum(-1)[src] + (h * self.a_dst).sum(-1)[dst], 0.2)
        top = torch.full((len(x), self.heads), float("-inf")).index_reduce(0, dst, logits, "amax")
        weight = (logits - top[dst]).exp()
        norm = torch.zeros(len(x), self.heads).index_add(0, dst, weight)
        alpha = weight / norm[dst].clamp(min=1e-9)
        out = torch.zeros_like(h).index_add(0, dst, alpha.unsqueeze(-1) * h[src])
        return out.flatten(1) if self.concat else out.mean(dim=1)


class GNN(nn.Module):
    def __init__(self, f: int, hidden: int, depth: int, classes: int, readout: Readout = Readout.MEAN):
        super().__init__()
        self.layers = nn.ModuleList()
        d = f
        for i in range(depth):
            layer = GATLayer(d, hidden, concat=i < depth - 1)
            self.layers.append(layer)
            d = layer.out_features
        self.norms = nn.ModuleList([nn.LayerNorm(layer.out_features) for layer in self.layers])
        self.readout = readout
        self.head = nn.Sequential(nn.Linear(d, d), nn.ReLU(), nn.Linear(d, classes))

    def forward(self, g: Graph) -> Float[Tensor, "graphs classes"]:
        x = g.x
        for layer, norm in zip(self.layers, self.norms):
            x = norm(layer(x, g.edges)).relu()
        pooled = scatter(x, g.batch, g.num_graphs, self.readout)
        return self.head(pooled)


class MAB(nn.Module):
    def __init__(self, d: int, heads: int = 2):
        super().__init__()
        self.attn = nn.MultiheadAttention(d, heads, batch_first=True)
        self.ln1, self.ln2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.ff = nn.Linear(d, d)

    def forward(
        self, q: Float[Tensor, "b n d"], kv: Float[Tensor, "b m d"], pad: Optional[Bool[Tensor, "b m"]] = None
    ) -> Float[Tensor, "b n d"]:
        h = self.ln1(q + self.attn(q, kv, kv, key_padding_mask=pad, need_weights=False)[0])
        return self.ln2(h + F.relu(self.ff(h)))


class SetTransformer(nn.Module):
    def __init__(self, d_in: int, d: int, seeds: int, inducing: int = 4):
        super().__init__()
        self.embed = nn.Linear(d_in, d)
        self.inducing = nn.Parameter(torch.randn(inducing, d))
        self.seeds = nn.Parameter(torch.randn(seeds, d))
        self.down, self.up, self.pool = MAB(d), MAB(d), MAB(d)

    def forward(self, x: Float[Tensor, "b n d_in"], pad: Bool[Tensor, "b n"]) -> Float[Tensor, "b seeds d"]:
        x = self.embed(x)
        ind = repeat(self.inducing, "i d -> b i d", b=x.shape[0])
        h = self.down(ind, x, pad)
        x = self.up(x, h)
        return self.pool(self.seeds.expand(len(x), -1, -1), x, pad)


def pad_sets(sets: list[Float[Tensor, "_ f"]]) -> tuple[Float[Tensor, "b n f"], Bool[Tensor, "b n"]]:
    longest = max(len(s) for s in sets)
    x = torch.stack([F.pad(s, (0, 0, 0, longest - len(s))) for s in sets])
    lengths = torch.tensor([len(s) for s in sets])
    return x, torch.arange(longest)[None, :] >= lengths[:, None]


T = TypeVar("T", bound=nn.Module)


class Ensemble(nn.Module, Generic[T]):
    def __init__(self, make: Callable[[], T], n: int):
        super().__init__()
        self.members = nn.ModuleList([make() for _ in range(n)])

    def forward(self, *args: Tensor) -> Tensor:
        outs = [m(*args) for m in self.members]
        return reduce(torch.add, outs) / len(outs)


def main() -> None:
    torch.manual_seed(0)
    graphs = [Graph(torch.randn(n, 3), torch.randint(0, n, (2, 2 * n))) for n in (4, 6)]
    model = GNN(3, 8, 2, 5, Readout.MAX)
    out = model(Graph.collate(graphs))
    assert out.shape == (2, 5)
    x, pad = pad_sets([torch.randn(3, 4), torch.randn(5, 4)])
    st = Ensemble(partial(SetTransformer, 4, 8, 2), 3)
    pooled = st(x, pad)
    mean = ereduce(pooled, "b s d -> b d", "mean")
    F.cross_entropy(out, torch.tensor([0, 1])).backward()
    print(mean.shape)


# run: main()
