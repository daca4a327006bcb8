import torch
from jaxtyping import Float
from torch import Tensor


def check_same(x: Tensor, y: Tensor) -> None:
    if x.shape != y.shape:
        raise ValueError(f"shapes differ: {x.shape} and {y.shape}")


def add(x: Float[Tensor, "b c"], y: Float[Tensor, "b k"]) -> Float[Tensor, "b c"]:
    check_same(x, y)
    return x + y


def main():
    assert add(torch.randn(2, 4), torch.randn(2, 4)).shape == (2, 4)


# run: main()
