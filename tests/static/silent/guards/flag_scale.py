import torch
from jaxtyping import Float
from torch import Tensor, nn


class Block(nn.Module):
    def __init__(self, i: int, o: int, scale: float = 0.5):
        super().__init__()
        self.scale = scale if i == o else 0.0
        self.l = nn.Linear(i, o)

    def forward(self, x: Float[Tensor, "b i"]) -> Float[Tensor, "b o"]:
        y = self.l(x)
        if self.scale > 0:
            y = y + self.scale * x
        return y


def main():
    for o in (4, 5):
        Block(4, o)(torch.randn(2, 4))


# run: main()
