"""``Module``, ``typed`` and the layers of typedtorch itself are checked as torch's are."""

import torch
import typedtorch
from jaxtyping import Float
from torch import Tensor, nn
from typedtorch import typed
from typedtorch.nn import Linear, Module


class Narrow(typedtorch.Module):
    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(d_out, d_in))

    def forward(self, x: Float[Tensor, "batch d_in"]) -> Float[Tensor, "batch d_out"]:
        return x @ self.weight.T


class Pair(Module, scope="instance"):
    def __init__(self, d: int) -> None:
        super().__init__()
        self.first, self.second = Narrow(d, 3), Narrow(4, d)

    def forward(self, x: Float[Tensor, "batch d"]) -> Float[Tensor, "batch d"]:
        return self.second(self.first(x))  # E: self.second: self.first(x) is (batch, 3), annotated 'batch d_in': d_in is 4 for self.second, got 3  [shape]


@typed
def project(x: Float[Tensor, "batch d"], w: Float[Tensor, "d k"]) -> Float[Tensor, "batch k"]:
    return x @ w


Narrow(4, 5)(torch.randn(2, 4))
Narrow(4, 5)(torch.randn(2, 3))  # E: Narrow(4, 5): torch.randn(2, 3) is (2, 3), annotated 'batch d_in': d_in is 4 for Narrow(4, 5), got 3  [shape]
project(torch.ones(2, 3), torch.ones(3, 5))
project(torch.ones(2, 3), torch.ones(4, 5))  # E: project: torch.ones(4, 5) is (4, 5), annotated 'd k': d is 3 for torch.ones(2, 3), got 4  [shape]
Linear(4, 5)(torch.randn(2, 4))
Linear(4, 5)(torch.randn(2, 3))  # E: Linear(4, 5): torch.randn(2, 3) is (2, 3), annotated '*batch d_in': d_in is 4 for Linear(4, 5), got 3  [shape]
