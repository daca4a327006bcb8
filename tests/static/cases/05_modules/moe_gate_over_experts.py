import torch
from jaxtyping import Float
from torch import Tensor, nn


class Mixture(nn.Module):
    def __init__(self, d_in: int, d_out: int, experts: int) -> None:
        super().__init__()
        self.gate = nn.Linear(d_in, experts)
        self.experts = nn.ModuleList([nn.Linear(d_in, d_out) for _ in range(experts)])

    def forward(self, x: Float[Tensor, "b d_in"]) -> Float[Tensor, "b d_out"]:
        weights = self.gate(x).softmax(-1)
        outs = torch.stack([e(x) for e in self.experts], dim=1)
        return (weights.unsqueeze(-1) * outs).sum(1)  #! return (weights.unsqueeze(-1) * outs).sum(2)  # E: shape


# static: d_out is bound by the result itself, so at run time any size will do
# run: Mixture(3, 5, 4)(randn(2, 3))
