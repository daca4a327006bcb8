from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor


def add_fitting(x: Float[Tensor, "c d"], ys: Sequence[Float[Tensor, "e d"]]) -> Float[Tensor, "c d"]:
    return x + sum(y for y in ys if y.shape[0] == x.shape[0])


def main() -> None:
    x = torch.randn(4, 3)
    add_fitting(x, [x, x])
    add_fitting(x, [x[:2]])


# run: main()
