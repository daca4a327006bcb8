import torch
from jaxtyping import Float
from torch import Tensor, nn


class MoE(nn.Module):
    def __init__(self, d: int, ff: int, n_experts: int, k: int = 2):
        super().__init__()
        self.k = k
        self.gate = nn.Linear(d, n_experts, bias=False)
        self.experts = nn.ModuleList(
            [nn.Sequential(nn.Linear(d, ff), nn.GELU(), nn.Linear(ff, d)) for _ in range(n_experts)]
        )

    def forward(self, x: Float[Tensor, "tokens d"]) -> Float[Tensor, "tokens d"]:
        probs = self.gate(x).softmax(-1)
        w, idx = probs.topk(self.k, dim=-1)
        out = torch.zeros_like(x)
        for e, expert in enumerate(self.experts):
            rows, slot = torch.where(idx == e)
            out[rows] += w[rows, slot, None] * expert(x[rows])  #! out[rows] += w[rows, slot] * expert(x[rows])  # E: shape
        return out


# run: MoE(4, 6, 3)(randn(7, 4))
