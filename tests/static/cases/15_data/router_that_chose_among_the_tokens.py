from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


@dataclass
class Routing:
    weights: Float[Tensor, "tokens top_k"]
    experts: Int[Tensor, "tokens top_k"]
    logits: Float[Tensor, "tokens n_experts"]


class Router(nn.Module):
    def __init__(self, dim: int, n_experts: int, top_k: int) -> None:
        super().__init__()
        self.gate = nn.Linear(dim, n_experts, bias=False)
        self.top_k = top_k

    def forward(self, x: Float[Tensor, "tokens dim"]) -> Routing:
        logits = self.gate(x)
        weights, experts = torch.topk(logits, self.top_k, dim=-1)  #! weights, experts = torch.topk(logits, self.top_k, dim=0)
        return Routing(weights.softmax(dim=-1), experts, logits)  # E: shape


# run: Router(6, 4, 2)(randn(5, 6))
