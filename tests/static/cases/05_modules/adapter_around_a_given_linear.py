import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn


class LoRA(nn.Module):
    def __init__(self, base: nn.Linear, rank: int) -> None:
        super().__init__()
        d_out, d_in = base.weight.shape  #! d_in, d_out = base.weight.shape  # e: shape
        self.base = base
        self.a = nn.Parameter(torch.zeros(rank, d_in))
        self.b = nn.Parameter(torch.zeros(d_out, rank))

    def forward(self, x: Float[Tensor, "*batch d_in"]) -> Float[Tensor, "*batch d_out"]:
        down = F.linear(x, self.a)
        up = F.linear(down, self.b)
        return self.base(x) + up  #! return self.base(x) + up  # E: shape


# run: LoRA(nn.Linear(5, 7), 2)(randn(3, 5))
