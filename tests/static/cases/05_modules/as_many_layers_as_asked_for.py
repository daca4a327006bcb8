from jaxtyping import Float
from torch import Tensor, nn


class Trunk(nn.Module):
    def __init__(self, d_in: int, width: int, depth: int) -> None:
        super().__init__()
        self.enter = nn.Linear(d_in, width)
        self.blocks = nn.Sequential(*[nn.Linear(width, width) for _ in range(depth)])  #! self.blocks = nn.Sequential(*[nn.Linear(d_in, width) for _ in range(depth)])
        self.leave = nn.Linear(width, d_in)

    def forward(self, x: Float[Tensor, "batch d_in"]) -> Float[Tensor, "batch d_in"]:
        return self.leave(self.blocks(self.enter(x)))  # E: shape


class Normalised(nn.Module):
    def __init__(self, d_in: int, width: int, depth: int) -> None:
        super().__init__()
        self.enter = nn.Linear(d_in, width)
        norms = []
        for _ in range(depth):
            norms.append(nn.LayerNorm(width))  #! norms.append(nn.LayerNorm(d_in))
        self.norms = nn.Sequential(*norms)

    def forward(self, x: Float[Tensor, "batch d_in"]) -> Float[Tensor, "batch width"]:
        return self.norms(self.enter(x))  # E: shape


# run: Trunk(3, 5, 2)(randn(4, 3)), Normalised(3, 5, 2)(randn(4, 3))
