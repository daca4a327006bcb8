"""Message passing on edge lists: GCN, GAT and a graph-level readout."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn


@dataclass
class Graph:
    x: Float[Tensor, "nodes feat"]
    edge_index: Int[Tensor, "2 edges"]
    edge_attr: Float[Tensor, "edges edge_feat"]
    batch: Int[Tensor, "nodes"]

    @property
    def num_graphs(self) -> int:
        return int(self.batch.max()) + 1


def scatter_sum(src: Float[Tensor, "edges d"], index: Int[Tensor, "edges"], size: int) -> Float[Tensor, "{size} d"]:
    out = src.new_zeros(size, src.shape[1])
    return out.index_add_(0, index, src)


def scatter_mean(src: Float[Tensor, "edges d"], index: Int[Tensor, "edges"], size: int) -> Float[Tensor, "{size} d"]:
    total = scatter_sum(src, index, size)
    count = torch.zeros(size).index_add_(0, index, torch.ones(index.shape[0]))
    return total / count.clamp(min=1).unsqueeze(-1)


def scatter_softmax(scores: Float[Tensor, "edges heads"], index: Int[Tensor, "edges"], size: int) -> Float[Tensor, "edges heads"]:
    expanded = index[:, None].expand_as(scores)
    peak = torch.full((size, scores.size(1)), -torch.inf).scatter_reduce(0, expanded, scores, reduce="amax")
    exp = (scores - peak[index]).exp()
    norm = torch.zeros(size, scores.size(1)).scatter_add(0, expanded, exp)
    return exp / (norm[index] + 1e-16)


class GCNConv(nn.Module):
    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.lin = nn.Linear(d_in, d_out, bias=False)
        self.bias = nn.Parameter(torch.zeros(d_out))

    def forward(
        self, x: Float[Tensor, "nodes d_in"], edge_index: Int[Tensor, "2 edges"]
    ) -> Float[Tensor, "nodes d_out"]:
        n = x.shape[0]
        row, col = edge_index
        degree = torch.bincount(col, minlength=n).float().clamp(min=1)
        norm = degree.rsqrt()[row] * degree.rsqrt()[col]
        messages = self.lin(x)[row] * norm.unsqueeze(1)
        return scatter_sum(messages, col, n) + self.bias


class GATConv(nn.Module):
    def __init__(self, d_in: int, d_head: int, heads: int, d_edge: int) -> None:
        super().__init__()
        self.heads, self.d_head = heads, d_head
        self.lin = nn.Linear(d_in, heads * d_head, bias=False)
        self.edge = nn.Linear(d_edge, heads, bias=False)
        self.att_src = nn.Parameter(torch.randn(heads, d_head))
        self.att_dst = nn.Parameter(torch.randn(heads, d_head))

    def forward(
        self,
        x: Float[Tensor, "nodes d_in"],
        edge_index: Int[Tensor, "2 edges"],
        edge_attr: Float[Tensor, "edges d_edge"],
    ) -> Float[Tensor, "nodes {self.heads}*{self.d_head}"]:
        src, dst = edge_index[0], edge_index[1]
        h = self.lin(x).view(-1, self.heads, self.d_head)
        alpha_src = (h * self.att_src).sum(-1)
        alpha_dst = (h * self.att_dst).sum(-1)
        scores = F.leaky_relu(alpha_src[src] + alpha_dst[dst] + self.edge(edge_attr), 0.2)
        alpha = scatter_softmax(scores, dst, x.shape[0])
        messages = h[src] * alpha.unsqueeze(-1)
        return scatter_sum(messages.flatten(1), dst, x.shape[0])


class GraphClassifier(nn.Module):
    def __init__(
        self, feat: int, edge_feat: int, hidden: int, classes: int, readout: Literal["sum", "mean"] = "mean"
    ) -> None:
        super().__init__()
        self.conv1 = GCNConv(feat, hidden)
        self.conv2 = GATConv(hidden, hidden, 3, edge_feat)
        self.norm = nn.LayerNorm(3 * hidden)
        self.head = nn.Sequential(nn.Linear(3 * hidden, hidden), nn.ReLU(), nn.Linear(hidden, classes))
        self.readout = readout

    def embed(self, graph: Graph) -> Float[Tensor, "nodes d"]:
        x = self.conv1(graph.x, graph.edge_index).relu()
        x = F.dropout(x, p=0.1, training=self.training)
        x = self.conv2(x, graph.edge_index, graph.edge_attr)
        return self.norm(x)

    def forward(self, graph: Graph) -> Float[Tensor, "graphs classes"]:
        x = self.embed(graph)
        pool = scatter_sum if self.readout == "sum" else scatter_mean
        pooled = pool(x, graph.batch, graph.num_graphs)
        return self.head(pooled)


def collate(graphs: list[Graph]) -> Graph:
    offset = 0
    edges, batch = [], []
    for i, g in enumerate(graphs):
        edges.append(g.edge_index + offset)
        batch.append(torch.full((g.x.shape[0],), i))
        offset += g.x.shape[0]
    return Graph(
        x=torch.cat([g.x for g in graphs]),
        edge_index=torch.cat(edges, dim=1),
        edge_attr=torch.cat([g.edge_attr for g in graphs]),
        batch=torch.cat(batch),
    )


def random_graph(nodes: int, edges: int) -> Graph:
    return Graph(
        x=torch.randn(nodes, 5),
        edge_index=torch.randint(0, nodes, (2, edges)),
        edge_attr=torch.randn(edges, 3),
        batch=torch.zeros(nodes, dtype=torch.long),
    )


# run: g = collate([random_graph(7, 13), random_graph(11, 17)])
# run: GraphClassifier(5, 3, 6, 4)(g); GraphClassifier(5, 3, 6, 4, "sum")(g)
# run: scatter_mean(randn(13, 4), randint(0, 7, (13,)), 7)
