import torch
from jaxtyping import Float
from torch import Tensor, nn


class Net(nn.Module):
    def __init__(self, d: int):
        super().__init__()
        self.e = nn.Linear(d, d)
        self.c = nn.Conv2d(d, d, 3, padding=1)

    def vec(self, x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
        return self.e(x)

    def forward(self, x: Float[Tensor, "b *s"]) -> Float[Tensor, "b *s"]:
        if x.ndim == 4:
            return self.c(x)
        return self.vec(x)


def main():
    for d in (3, 4):
        assert Net(d)(torch.randn(2, d)).shape == (2, d)
        assert Net(d)(torch.randn(2, d, 4, 4)).shape == (2, d, 4, 4)


# run: main()
