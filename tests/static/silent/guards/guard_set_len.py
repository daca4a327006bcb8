import torch
from jaxtyping import Float
from torch import Tensor


def merge(x: Float[Tensor, "b c"], y: Float[Tensor, "b k"]) -> Float[Tensor, "b m"]:
    if len({t.shape[1] for t in (x, y)}) == 1:
        return x + y
    return torch.cat([x, y], 1)


def main():
    merge(torch.randn(2, 4), torch.randn(2, 4))
    merge(torch.randn(2, 4), torch.randn(2, 5))


# run: main()
