import torch
from jaxtyping import Float
from torch import Tensor, nn


class GraphConv(nn.Module):
    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(d_in, d_out))
        self.bias = nn.Parameter(torch.zeros(d_out))

    def forward(self, x: Float[Tensor, "nodes d_in"], adj: Float[Tensor, "nodes nodes"]) -> Float[Tensor, "nodes d_out"]:
        support = torch.mm(x, self.weight)
        return torch.spmm(adj, support) + self.bias  #! return torch.mm(support, adj) + self.bias  # E: shape


# run: GraphConv(3, 5)(randn(7, 3), randn(7, 7))
