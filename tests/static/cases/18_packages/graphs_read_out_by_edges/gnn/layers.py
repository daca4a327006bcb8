import torch
from torch import nn


def scatter_sum(src, index, size):
    out = torch.zeros(size, src.shape[-1])
    return out.index_add(0, index, src)


def scatter_softmax(scores, index, size):
    top = torch.full((size, scores.shape[-1]), float("-inf")).scatter_reduce(
        0, index[:, None].expand_as(scores), scores, reduce="amax"
    )
    weights = (scores - top[index]).exp()
    return weights / (scatter_sum(weights, index, size)[index] + 1e-9)


class GATLayer(nn.Module):
    def __init__(self, dim, edge_dim, heads=2):
        super().__init__()
        self.heads, self.head_dim = heads, dim // heads
        self.value = nn.Linear(dim, dim)
        self.score = nn.Linear(2 * dim + edge_dim, heads)
        self.out = nn.Linear(dim, dim)
        self.norm = nn.LayerNorm(dim)

    def forward(self, x, edge_index, edge_attr):
        src, dst = edge_index
        n = x.shape[0]
        scores = self.score(torch.cat([x[src], x[dst], edge_attr], dim=-1))
        alpha = scatter_softmax(scores, dst, n)
        v = self.value(x)[src].view(-1, self.heads, self.head_dim)
        messages = (alpha[..., None] * v).flatten(1)
        return self.norm(x + self.out(scatter_sum(messages, dst, n)))
