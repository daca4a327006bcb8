from typing import NamedTuple

import torch
from torch import Tensor


class Graph(NamedTuple):
    x: Tensor
    edge_index: Tensor
    edge_attr: Tensor
    batch: Tensor

    @property
    def num_nodes(self):
        return self.x.shape[0]


def random_graph(nodes, edges, features, edge_features, graphs):
    return Graph(
        torch.randn(nodes, features),
        torch.randint(0, nodes, (2, edges)),
        torch.randn(edges, edge_features),
        torch.arange(nodes) * graphs // nodes,
    )
