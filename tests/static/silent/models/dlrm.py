"""A recommendation model: embedding bags, pairwise interactions, sequence towers, ranking losses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn


@dataclass
class Features:
    dense: Float[Tensor, "batch n_dense"]
    sparse: Mapping[str, Int[Tensor, "batch"]]
    history: Int[Tensor, "batch hist"]
    history_mask: Bool[Tensor, "batch hist"]
    label: Float[Tensor, "batch"]

    def to(self, device: str) -> Features:
        return Features(
            self.dense.to(device),
            {k: v.to(device) for k, v in self.sparse.items()},
            self.history.to(device),
            self.history_mask.to(device),
            self.label.to(device),
        )


def tower(sizes: list[int], final_activation: bool = True) -> nn.Sequential:
    layers: list[nn.Module] = []
    for i, (a, b) in enumerate(zip(sizes, sizes[1:])):
        layers.append(nn.Linear(a, b))
        if final_activation or i < len(sizes) - 2:
            layers.append(nn.ReLU())
    return nn.Sequential(*layers)


class Interaction(nn.Module):
    """All dot products of a set of vectors, the lower triangle flattened."""

    def __init__(self, n: int) -> None:
        super().__init__()
        rows, cols = torch.tril_indices(n, n, offset=-1)
        self.register_buffer("rows", rows, persistent=False)
        self.register_buffer("cols", cols, persistent=False)

    def forward(self, vectors: Float[Tensor, "batch n dim"]) -> Float[Tensor, "batch pairs"]:
        gram = torch.bmm(vectors, vectors.transpose(1, 2))
        return gram[:, self.rows, self.cols]


class CrossNet(nn.Module):
    def __init__(self, dim: int, depth: int) -> None:
        super().__init__()
        self.kernels = nn.ParameterList([nn.Parameter(torch.randn(dim, dim) * dim**-0.5) for _ in range(depth)])
        self.biases = nn.ParameterList([nn.Parameter(torch.zeros(dim)) for _ in range(depth)])

    def forward(self, x0: Float[Tensor, "batch dim"]) -> Float[Tensor, "batch dim"]:
        x = x0
        for kernel, bias in zip(self.kernels, self.biases):
            x = x0 * (x @ kernel + bias) + x
        return x


class TargetAttention(nn.Module):
    def __init__(self, dim: int, hidden: int) -> None:
        super().__init__()
        self.score = tower([4 * dim, hidden, 1], final_activation=False)

    def forward(
        self,
        target: Float[Tensor, "batch dim"],
        history: Float[Tensor, "batch hist dim"],
        mask: Bool[Tensor, "batch hist"],
    ) -> Float[Tensor, "batch dim"]:
        query = target.unsqueeze(1).expand_as(history)
        pair = torch.cat([query, history, query - history, query * history], dim=-1)
        logits = self.score(pair).squeeze(-1).masked_fill(~mask, -1e4)
        weights = logits.softmax(dim=-1)
        return torch.einsum("bh,bhd->bd", weights, history)


class Ranker(nn.Module):
    def __init__(self, n_dense: int, cardinalities: dict[str, int], dim: int, items: int) -> None:
        super().__init__()
        self.fields = sorted(cardinalities)
        self.tables = nn.ModuleDict({name: nn.Embedding(size, dim) for name, size in cardinalities.items()})
        self.items = nn.Embedding(items, dim, padding_idx=0)
        self.bottom = tower([n_dense, 2 * dim, dim])
        self.attention = TargetAttention(dim, 13)
        n = len(cardinalities) + 2
        self.interact = Interaction(n)
        self.cross = CrossNet(n * dim, 2)
        self.top = tower([n * (n - 1) // 2 + n * dim, 17, 1], final_activation=False)

    def forward(self, f: Features) -> Float[Tensor, "batch"]:
        dense = self.bottom(f.dense)
        sparse = [self.tables[name](f.sparse[name]) for name in self.fields]
        history = self.attention(dense, self.items(f.history), f.history_mask)
        vectors = torch.stack([dense, history, *sparse], dim=1)
        flat = self.cross(vectors.flatten(1))
        joint = torch.cat([self.interact(vectors), flat], dim=1)
        return self.top(joint)[:, 0]


def bpr_loss(positive: Float[Tensor, "batch"], negative: Float[Tensor, "batch negatives"]) -> Float[Tensor, ""]:
    return -F.logsigmoid(positive[:, None] - negative).mean()


def in_batch_softmax(
    users: Float[Tensor, "batch dim"], items: Float[Tensor, "batch dim"], log_q: Float[Tensor, "batch"]
) -> Float[Tensor, ""]:
    logits = users @ items.T / 0.07 - log_q
    return F.cross_entropy(logits, torch.arange(users.shape[0]))


@torch.no_grad()
def ndcg(scores: Float[Tensor, "queries docs"], gains: Float[Tensor, "queries docs"], k: int) -> Float[Tensor, ""]:
    discount = 1.0 / torch.log2(torch.arange(k) + 2.0)
    order = scores.topk(k, dim=-1).indices
    dcg = (gains.gather(-1, order) * discount).sum(-1)
    ideal = (gains.sort(dim=-1, descending=True).values[:, :k] * discount).sum(-1)
    return (dcg / ideal.clamp(min=1e-9)).mean()


def auc(scores: Float[Tensor, "n"], labels: Bool[Tensor, "n"]) -> float:
    order = scores.argsort()
    ranks = torch.empty_like(scores)
    ranks[order] = torch.arange(1, len(scores) + 1, dtype=scores.dtype)
    pos = labels.sum().item()
    neg = len(labels) - pos
    return float((ranks[labels].sum() - pos * (pos + 1) / 2) / (pos * neg))


# run: f = Features(randn(5, 4), {"a": randint(0, 7, (5,)), "b": randint(0, 11, (5,))}, randint(0, 13, (5, 6)), randn(5, 6) > -1, torch.rand(5).round())
# run: m = Ranker(4, {"a": 7, "b": 11}, 3, 13); F.binary_cross_entropy_with_logits(m(f.to("cpu")), f.label)
# run: bpr_loss(randn(5), randn(5, 3)); in_batch_softmax(randn(5, 3), randn(5, 3), randn(5)); ndcg(randn(3, 11), torch.rand(3, 11), 5)
# run: auc(randn(11), torch.arange(11) % 3 == 0)
