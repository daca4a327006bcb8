from typing import overload

import torch
from jaxtyping import Float
from torch import Tensor

Vec = Float[Tensor, "d"]
Mat = Float[Tensor, "n d"]


@overload
def get(x: Mat, i: int) -> Vec: ...
@overload
def get(x: Mat, i: slice) -> Mat: ...
def get(x, i):
    return x[i]


def use(x: Float[Tensor, "n d"]) -> Float[Tensor, "_ d"]:
    return get(x, slice(0, 2))


def main() -> None:
    use(torch.randn(5, 3))
    use(torch.randn(2, 3))


# run: main()
