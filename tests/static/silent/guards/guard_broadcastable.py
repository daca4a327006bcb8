import torch
from jaxtyping import Float
from torch import Tensor


def scale(x: Float[Tensor, "b c"], g: Float[Tensor, "b k"]) -> Float[Tensor, "b c"]:
    if g.shape[1] not in (1, x.shape[1]):
        raise ValueError(f"gain has {g.shape[1]} channels, input {x.shape[1]}")
    return x * g


def main():
    assert scale(torch.randn(2, 4), torch.randn(2, 4)).shape == (2, 4)
    assert scale(torch.randn(2, 4), torch.randn(2, 1)).shape == (2, 4)


# run: main()
