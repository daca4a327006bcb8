import torch
from jaxtyping import Float
from torch import Tensor, nn


class LowRank(nn.Module):
    def __init__(self, d_in: int, d_out: int, rank: int) -> None:
        super().__init__()
        self.a = nn.Parameter(torch.randn(d_in, rank))
        self.b = nn.Parameter(torch.zeros(rank, d_out))

    def forward(self, x: Float[Tensor, "batch d_in"]) -> Float[Tensor, "batch d_out"]:
        return x @ self.a @ self.b  #! return x @ self.b @ self.a  # E: shape


# run: LowRank(3, 5, 2)(randn(7, 3))
