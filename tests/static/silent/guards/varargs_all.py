import torch
from jaxtyping import Float
from torch import Tensor


def add_all(x: Float[Tensor, "n d"], *ys: Float[Tensor, "m d"]) -> Float[Tensor, "n d"]:
    assert all(len(y) == len(x) for y in ys)
    return x + sum(ys)


def main() -> None:
    add_all(torch.randn(4, 3), torch.randn(4, 3), torch.randn(4, 3))


# run: main()
