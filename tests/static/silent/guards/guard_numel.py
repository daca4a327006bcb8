import torch
from jaxtyping import Float
from torch import Tensor


def load(x: Float[Tensor, "b c"], y: Float[Tensor, "b k"]) -> Float[Tensor, "b c"]:
    if x.numel() == y.numel():
        return x + y.view_as(x)
    return x


def main():
    load(torch.randn(2, 4), torch.randn(2, 4))
    load(torch.randn(2, 4), torch.randn(2, 3))


# run: main()
