import torch
from dataclasses import dataclass
from jaxtyping import Float, Int
from torch import Tensor


@dataclass
class Graph:
    x: Float[Tensor, "nodes feat"]
    edge_index: Int[Tensor, "2 edges"]


def degree(g: Graph) -> Float[Tensor, "nodes"]:
    ones = torch.ones(g.edge_index.shape[1])
    return torch.zeros(g.x.shape[0]).index_add(0, g.edge_index[1], ones)  #! return torch.zeros(g.x.shape[0]).index_add(0, g.edge_index[1], g.x.sum(1))  # E: shape


def normalise(g: Graph) -> Float[Tensor, "nodes feat"]:
    return g.x / degree(g).clamp(min=1)[:, None]


# run: normalise(Graph(randn(4,3), torch.zeros(2,6).long()))
