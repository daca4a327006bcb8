import torch
from jaxtyping import Float
from torch import Tensor, nn


class Base(nn.Module):
    def encode(self, x: Float[Tensor, "b d"]) -> Float[Tensor, "b z"]:
        raise NotImplementedError

    def forward(self, x: Float[Tensor, "b *s"]) -> Float[Tensor, "b *s"]:
        return self.encode(x)


class Plain(Base):
    def __init__(self, d: int):
        super().__init__()
        self.e = nn.Linear(d, d)

    def encode(self, x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
        return self.e(x)


def main():
    assert Plain(3)(torch.randn(2, 3)).shape == (2, 3)
    assert Plain(5)(torch.randn(2, 5)).shape == (2, 5)


# run: main()
