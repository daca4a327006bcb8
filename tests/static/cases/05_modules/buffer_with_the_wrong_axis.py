import torch
from jaxtyping import Float
from torch import Tensor, nn


class Positions(nn.Module):
    def __init__(self, max_len: int, dim: int) -> None:
        super().__init__()
        self.register_buffer("table", torch.randn(max_len, dim))  #! self.register_buffer("table", torch.randn(dim, max_len))

    def forward(self, x: Float[Tensor, "b s dim"]) -> Float[Tensor, "b s dim"]:
        return x + self.table[: x.shape[1]]  # E: shape


# run: Positions(11, 3)(randn(2, 5, 3))
