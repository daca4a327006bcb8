from jaxtyping import Float
from torch import Tensor, nn


class PointEncoder(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.linear = nn.Linear(3, dim)
        self.norm = nn.BatchNorm1d(dim)

    def forward(self, points: Float[Tensor, "b n 3"]) -> Float[Tensor, "b dim"]:
        x = self.linear(points)
        x = self.norm(x.transpose(1, 2))  #! x = self.norm(x)  # E: shape
        return x.amax(-1)


# run: PointEncoder(5)(randn(2, 7, 3))
