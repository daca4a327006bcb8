import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn


class Pos(nn.Module):
    def __init__(self, seq: int, dim: int):
        super().__init__()
        self.pe = nn.Parameter(torch.randn(seq, dim))

    def table(self) -> Float[Tensor, "seq dim"]:
        return F.normalize(self.pe, dim=-1)

    def forward(self, x: Float[Tensor, "b seq dim"]) -> Float[Tensor, "b seq dim"]:
        return x + self.table()[: x.shape[1]]


def main():
    assert Pos(16, 4)(torch.randn(2, 5, 4)).shape == (2, 5, 4)


# run: main()
