import torch
from jaxtyping import Float
from torch import Tensor


def add_optional(
    x: Float[Tensor, "batch dim"], y: Float[Tensor, "other dim"] | None = None
) -> Float[Tensor, "batch dim"]:
    if y is not None:
        assert y.shape == x.shape
        x = x + y
    return x


def main() -> None:
    add_optional(torch.randn(4, 3))
    add_optional(torch.randn(4, 3), torch.randn(4, 3))


# run: main()
