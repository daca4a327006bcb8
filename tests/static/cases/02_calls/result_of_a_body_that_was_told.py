"""What a body with an error of its own gives is what its annotation says."""

import torch
from jaxtyping import Float
from torch import Tensor, nn


class Flow(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.dim = dim
        self.net = nn.Linear(dim, dim)

    def forward(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
        return self.net(x)

    def sample(self, n: int) -> Float[Tensor, "n d"]:
        z = torch.randn(n, self.dim)  #! z = torch.randn(self.dim, n)
        return z  #! return z  # E: shape


def main() -> Float[Tensor, "9 4"]:
    flow = Flow(4)
    z = flow.sample(9)
    return flow(z)


# run: main()
