import torch
from jaxtyping import Float
from torch import Tensor


def shift(x: Float[Tensor, "n d"], y: Float[Tensor, "m d"]) -> Float[Tensor, "n d"]:
    assert y.shape[0] in (1, x.shape[0])
    return x + y


def main() -> None:
    x = torch.randn(4, 3)
    shift(x, torch.randn(1, 3))
    shift(x, torch.randn(4, 3))


# run: main()
