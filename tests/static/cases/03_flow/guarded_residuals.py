import torch
from jaxtyping import Float
from torch import Tensor, nn


class Block(nn.Module):
    def __init__(self, a: int, b: int) -> None:
        super().__init__()
        self.same = a == b
        self.lin = nn.Linear(a, b)
        self.out = nn.Linear(b, b)

    def forward(self, x: Float[Tensor, "n a"]) -> Float[Tensor, "n b"]:
        y = self.lin(x)
        if not self.same:
            return y  #! return x + y  # E: shape
        return x + y  #! return x + y.T  # E: shape


class After(nn.Module):
    """What holds in a branch does not hold behind it."""

    def __init__(self, a: int, b: int) -> None:
        super().__init__()
        self.same = a == b
        self.lin = nn.Linear(a, b)

    def forward(self, x: Float[Tensor, "n a"]) -> Float[Tensor, "n b"]:
        y = self.lin(x)
        if self.same:
            y = x + y
        return y.relu()  #! return (x + y).relu()  # E: shape


class Asked(nn.Module):
    """A flag says nothing of sizes that it was not checked against."""

    def __init__(self, a: int, b: int, c: int, residual: bool) -> None:
        super().__init__()
        self.residual = residual
        if residual:
            assert a == b
        self.lin = nn.Linear(a, b)
        self.out = nn.Linear(b, c)

    def forward(self, x: Float[Tensor, "n a"]) -> Float[Tensor, "n c"]:
        y = self.lin(x)
        if self.residual:
            return self.out(x)
        return self.out(y)  #! return self.out(x)  # E: shape


def main() -> None:
    x = torch.randn(2, 3)
    Block(3, 4)(x), Block(3, 3)(x)
    After(3, 4)(x)
    Asked(3, 4, 5, False)(x)


# run: main()
