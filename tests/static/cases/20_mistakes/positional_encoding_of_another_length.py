import torch
from jaxtyping import Float
from torch import Tensor, nn


class Positions(nn.Module):
    def __init__(self, max_len: int, d_model: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.zeros(max_len, d_model))

    def forward(self, x: Float[Tensor, "batch seq d_model"]) -> Float[Tensor, "batch seq d_model"]:
        return x + self.table[: x.shape[1]]  #! return x + self.table[: x.shape[0]]  # E: shape


# run: Positions(16, 4)(randn(2, 5, 4))
