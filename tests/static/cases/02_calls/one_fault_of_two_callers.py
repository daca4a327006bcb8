"""A body that fails with the numbers of an object is told once, whoever calls it."""

import torch
from jaxtyping import Float
from torch import Tensor, nn


class Scale(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.factor = nn.Parameter(torch.ones(dim))

    def forward(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
        return x * self.factor


def trained(scale: Scale) -> float:
    data = torch.randn(6, 4)
    return float(scale(data).sum())


def used(scale: Scale) -> Float[Tensor, "3 4"]:
    return scale(torch.randn(3, 4))  #! return scale(torch.randn(3, 4))  # E: shape


def main() -> float:
    scale = Scale(4)  #! scale = Scale(5)
    first = trained(scale)
    return first + float(used(scale).sum())


# run: main()
