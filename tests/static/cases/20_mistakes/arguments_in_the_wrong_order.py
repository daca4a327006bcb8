import torch
from jaxtyping import Float
from torch import Tensor


def dense(x: Float[Tensor, "batch d_in"], weight: Float[Tensor, "d_out d_in"]) -> Float[Tensor, "batch d_out"]:
    return x @ weight.T


def main() -> None:
    x = torch.randn(32, 784)
    weight = torch.randn(10, 784)
    bias = torch.randn(10)
    print((dense(x, weight) + bias).shape)  #! print((dense(weight, x) + bias).shape)  # E: shape


# run: main()
