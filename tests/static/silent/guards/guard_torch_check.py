import torch
from jaxtyping import Float
from torch import Tensor


def add(x: Float[Tensor, "b c"], y: Float[Tensor, "b k"]) -> Float[Tensor, "b c"]:
    torch._check(x.shape[1] == y.shape[1])
    return x + y


def main():
    assert add(torch.randn(2, 4), torch.randn(2, 4)).shape == (2, 4)


# run: main()
