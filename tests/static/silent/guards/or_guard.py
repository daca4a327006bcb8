import torch
from jaxtyping import Float
from torch import Tensor


def add_bias(x: Float[Tensor, "a d"], y: Float[Tensor, "b d"]) -> Float[Tensor, "a d"]:
    if y.shape[0] == 1 or y.shape[0] == x.shape[0]:
        return x + y
    return x + y.mean(0)


def main() -> None:
    x = torch.randn(4, 3)
    for k in (1, 4, 2):
        add_bias(x, torch.randn(k, 3))


# run: main()
