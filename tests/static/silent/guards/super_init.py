import torch
from jaxtyping import Float
from torch import Tensor, nn


class MLP(nn.Module):
    def __init__(self, d: int, o: int):
        super().__init__()
        self.l = nn.Linear(d, o)

    def forward(self, x: Float[Tensor, "*b d"]) -> Float[Tensor, "*b o"]:
        return self.l(x)


class Double(MLP):
    def __init__(self, d: int):
        super().__init__(2 * d, d)

    def forward(self, x: Float[Tensor, "*b d"]) -> Float[Tensor, "*b d"]:
        return super().forward(torch.cat([x, x], -1))


def main():
    for d in (3, 4):
        assert Double(d)(torch.randn(2, d)).shape == (2, d)


# run: main()
