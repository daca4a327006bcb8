import torch
from jaxtyping import Float
from torch import Tensor


def check_same_shape(a: Tensor, b: Tensor) -> None:
    if a.shape != b.shape:
        raise ValueError(f"shapes differ: {tuple(a.shape)} and {tuple(b.shape)}")


def mse(a: Float[Tensor, "n d"], b: Float[Tensor, "m d"]) -> Float[Tensor, ""]:
    check_same_shape(a, b)
    return (a - b).square().mean()


def main() -> None:
    mse(torch.randn(4, 3), torch.randn(4, 3))
    mse(torch.randn(2, 5), torch.randn(2, 5))


# run: main()
