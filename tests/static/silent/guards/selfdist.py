import torch
from jaxtyping import Float
from torch import Tensor


def sqdist(x: Float[Tensor, "n d"]) -> Float[Tensor, "n n"]:
    return x.square().sum(1, keepdim=True) + x.square().sum(1) - 2 * x @ x.T


def main():
    assert torch.allclose(sqdist(torch.randn(4, 3)).diagonal(), torch.zeros(4), atol=1e-5)


# run: main()
