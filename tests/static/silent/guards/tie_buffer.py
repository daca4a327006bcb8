import torch
from jaxtyping import Float
from torch import Tensor


class Buffer:
    def __init__(self, n: int, d: int):
        self.x = torch.zeros(n, d)
        self.i = 0

    def all(self) -> Float[Tensor, "n d"]:
        return self.x

    def add(self, x: Float[Tensor, "n d"]) -> None:
        self.x[self.i : self.i + len(x)] = x
        self.i += len(x)


def main():
    b = Buffer(10, 3)
    b.add(torch.randn(4, 3))
    b.add(torch.randn(2, 3))
    assert b.all().shape == (10, 3)


# run: main()
