import torch
from jaxtyping import Float
from torch import Tensor, nn


class Experts(nn.Module):
    def __init__(self, d: int, d_ff: int, n: int, k: int) -> None:
        super().__init__()
        self.router = nn.Linear(d, n, bias=False)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(d, d_ff), nn.SiLU(), nn.Linear(d_ff, d)) for _ in range(n))
        self.k = k

    def forward(self, x: Float[Tensor, "batch seq d"]) -> Float[Tensor, "batch seq d"]:
        flat = x.flatten(0, 1)
        weights, chosen = self.router(flat).softmax(dim=-1).topk(self.k)
        out = torch.zeros_like(flat)
        for i, expert in enumerate(self.experts):
            token, slot = torch.where(chosen == i)
            y = expert(flat[token])
            y = y * weights[token, slot, None]  #! y = y * weights[token, slot]  # E: shape
            out.index_add_(0, token, y)
        return out.view_as(x)


# run: Experts(4, 6, 3, 2)(randn(2, 5, 4))
