from jaxtyping import Float
from torch import Tensor, nn


class Projection(nn.Module):
    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.linear = nn.Linear(d_in, d_out)

    def forward(self, x: Float[Tensor, "*batch d_in"]) -> Float[Tensor, "*batch d_out"]:
        return self.linear(x)


class Bottleneck(nn.Module):
    def __init__(self, dim: int, rank: int) -> None:
        super().__init__()
        self.down = Projection(dim, rank)
        self.up = Projection(rank, dim)  #! self.up = Projection(dim, rank)

    def forward(self, x: Float[Tensor, "b s dim"]) -> Float[Tensor, "b s dim"]:
        return x + self.up(self.down(x))  # E: shape


# run: Bottleneck(5, 3)(randn(2, 7, 5))
