import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn


class MoE(nn.Module):
    def __init__(self, dim, hidden, experts, k=2):
        super().__init__()
        self.k = k
        self.router = nn.Linear(dim, experts, bias=False)
        self.w1 = nn.Parameter(torch.randn(experts, dim, hidden) * 0.02)
        self.w2 = nn.Parameter(torch.randn(experts, hidden, dim) * 0.02)

    def forward(self, x: Float[Tensor, "b s d"]) -> tuple[Float[Tensor, "b s d"], Float[Tensor, ""]]:
        flat = x.reshape(-1, x.shape[-1])
        probs = self.router(flat).softmax(-1)
        weights, chosen = probs.topk(self.k, dim=-1)
        weights = weights / weights.sum(-1, keepdim=True)
        gate = torch.zeros_like(probs).scatter(1, chosen, weights)
        h = torch.einsum("nd,edh->enh", flat, self.w1)
        y = torch.einsum("enh,ehd->end", F.gelu(h), self.w2)
        out = torch.einsum("ne,end->nd", gate, y)  #! out = torch.einsum("en,end->nd", gate, y)  # E: shape
        fraction = F.one_hot(chosen, probs.shape[-1]).sum(1).float().mean(0)
        aux = probs.shape[-1] * (fraction * probs.mean(0)).sum()
        return out.view_as(x), aux


def bincount_load(chosen, experts):
    return torch.bincount(chosen.flatten(), minlength=experts)


def main():
    moe = MoE(8, 16, 4)
    y, aux = moe(torch.randn(2, 5, 8))
    return (y.sum() + aux).item()


# run: main()
