from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


class Batch(NamedTuple):
    tokens: Int[Tensor, "batch seq"]
    mask: Bool[Tensor, "batch seq"]
    scores: Float[Tensor, "batch seq"]


@dataclass
class Graph:
    nodes: Float[Tensor, "n d"]
    edges: Bool[Tensor, "n n"]


def total(batches: Iterable[Batch]) -> float:
    loss = 0.0
    for b in batches:
        lengths = b.mask.sum(1)
        loss += float((b.scores.sum(1) / lengths).mean())  #! loss += float((b.scores / lengths).mean())  # E: shape
    return loss


def first_scores(batches: list[Batch]) -> Tensor:
    return batches[0].scores * batches[0].mask  #! return batches[0].scores.T * batches[0].mask  # E: shape


def means(batches: tuple[Batch, ...]) -> list[Tensor]:
    return [(b.scores * b.mask).sum(1) / b.mask.sum(1) for b in batches]  #! return [(b.scores * b.mask).sum(0) / b.mask.sum(1) for b in batches]  # E: shape


def messages(graphs: dict[str, Graph]) -> dict[str, Tensor]:
    sent = {}
    for name, g in graphs.items():
        sent[name] = g.edges.float() @ g.nodes  #! sent[name] = g.nodes @ g.edges.float()  # E: shape
    return sent


def of_each(graphs: list[tuple[Graph, int]]) -> list[Tensor]:
    out = []
    for i, (g, rounds) in enumerate(graphs):
        x = g.nodes * (i + rounds)
        out.append(x - x.mean(1, keepdim=True))  #! out.append(x - x.mean(1))  # E: shape
    return out


# run: total([Batch(torch.ones(2, 3).long(), torch.ones(2, 3) > 0, randn(2, 3)), Batch(torch.ones(4, 5).long(), torch.ones(4, 5) > 0, randn(4, 5))])
# run: first_scores([Batch(torch.ones(2, 3).long(), torch.ones(2, 3) > 0, randn(2, 3))])
# run: means((Batch(torch.ones(2, 3).long(), torch.ones(2, 3) > 0, randn(2, 3)),))
# run: messages({"a": Graph(randn(3, 5), torch.ones(3, 3) > 0), "b": Graph(randn(4, 5), torch.ones(4, 4) > 0)})
# run: of_each([(Graph(randn(3, 5), torch.ones(3, 3) > 0), 2)])
