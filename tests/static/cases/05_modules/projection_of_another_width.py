import torch
from jaxtyping import Float
from torch import Tensor, nn


class Residual(nn.Module):
    def __init__(self, d_in: int, d_hidden: int, d_out: int) -> None:
        super().__init__()
        self.up = nn.Linear(d_in, d_hidden)
        self.down = nn.Linear(d_hidden, d_out)
        if d_in == d_out:
            self.project = nn.Identity()
        else:
            self.project = nn.Linear(d_in, d_out)  #! self.project = nn.Linear(d_in, d_hidden)

    def forward(self, x: Float[Tensor, "b d_in"]) -> Float[Tensor, "b d_out"]:
        y = self.down(self.up(x).relu())
        return y + self.project(x)  # E: shape


# run: Residual(3, 7, 5)(randn(2, 3))
# run: Residual(4, 7, 4)(randn(2, 4))
