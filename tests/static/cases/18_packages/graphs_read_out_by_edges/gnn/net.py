import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from gnn.data import Graph, random_graph
from gnn.layers import GATLayer, scatter_sum


class Net(nn.Module):
    def __init__(self, features: int, edge_features: int, hidden: int, classes: int, depth: int = 2):
        super().__init__()
        self.embed = nn.Linear(features, hidden)
        self.layers = nn.ModuleList(GATLayer(hidden, edge_features) for _ in range(depth))
        self.readout = nn.Sequential(nn.Linear(hidden, hidden), nn.SiLU(), nn.Linear(hidden, classes))

    def forward(
        self,
        x: Float[Tensor, "nodes features"],
        edge_index: Int[Tensor, "2 edges"],
        edge_attr: Float[Tensor, "edges edge_features"],
        batch: Int[Tensor, "nodes"],
        graphs: int,
    ) -> Float[Tensor, "graphs classes"]:
        h = self.embed(x)
        for layer in self.layers:
            h = layer(h, edge_index, edge_attr)
        return self.readout(scatter_sum(h, batch, graphs))  #! return self.readout(scatter_sum(h, edge_index[0], graphs))  # E: shape


def main():
    graph: Graph = random_graph(12, 30, 6, 4, 3)
    model = Net(features=6, edge_features=4, hidden=8, classes=5)
    logits = model(graph.x, graph.edge_index, graph.edge_attr, graph.batch, 3)
    target = torch.tensor([0, 1, 4])
    return nn.functional.cross_entropy(logits, target).item()


# main: gnn/net.py
# run: main()
