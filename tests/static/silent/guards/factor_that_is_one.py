"""Where one of the integers that were passed is 1, two others may be one."""

import torch
from jaxtyping import Float
from torch import Tensor, nn


def counted(experts: int, processes: int, local: int) -> Float[Tensor, "processes local"]:
    counts = torch.zeros(experts)
    if processes == 1:
        return counts.view(1, local)
    return counts.view(processes, local)


class Heads(nn.Module):
    def __init__(self, width: int, heads: int, each: int) -> None:
        super().__init__()
        self.heads, self.each, self.width = heads, each, width
        self.inner = nn.Linear(width, heads * each)

    def forward(self, x: Float[Tensor, "n width"]) -> Float[Tensor, "n out"]:
        out = self.inner(x)
        if self.heads > 1:
            return out
        return out + torch.ones(self.width)


# run: counted(6, 1, 6)
# run: counted(6, 2, 3)
# run: Heads(6, 1, 6)(randn(4, 6))
# run: Heads(5, 2, 3)(randn(4, 5))
