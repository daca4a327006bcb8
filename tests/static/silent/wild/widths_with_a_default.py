"""A row of widths with a default stands for any other: a number beside it may be tied to one of them."""

import torch
from jaxtyping import Float
from torch import Tensor, nn


class P(nn.Module):
    def __init__(self, dim: int, widths: tuple[int, ...] = (8, 16)) -> None:
        super().__init__()
        self.up = nn.Linear(widths[0], widths[-1])
        self.out = nn.Linear(dim, 1)
        self.w = nn.Parameter(torch.zeros(dim))
    def forward(self, x: Float[Tensor, "b i"]) -> Float[Tensor, "b 1"]:
        return self.out(self.up(x) * self.w)


class R(nn.Module):
    def __init__(self, dim: int, widths: tuple[int, ...] = (8, 16)) -> None:
        super().__init__()
        self.up = nn.Linear(widths[0], widths[-1])
        self.w = nn.Parameter(torch.zeros(dim))
    def forward(self, x: Float[Tensor, "b dim"]) -> Float[Tensor, "b 1"]:
        return (self.up(x[:, :8]) * x * self.w).sum(-1, keepdim=True)


def main() -> None:
    a = P(16)(torch.randn(2, 8))
    b = R(16)(torch.randn(3, 16))
    assert a.shape == (2, 1) and b.shape == (3, 1)


# run: main()
