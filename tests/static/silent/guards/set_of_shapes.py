import torch
from jaxtyping import Float
from torch import Tensor


def total(x: Float[Tensor, "n d"], y: Float[Tensor, "m d"]) -> Float[Tensor, "n d"]:
    assert len({t.shape for t in (x, y)}) == 1
    return x + y


def main() -> None:
    total(torch.randn(4, 3), torch.randn(4, 3))
    total(torch.randn(2, 3), torch.randn(2, 3))


# run: main()
