import torch
from jaxtyping import Float
from torch import Tensor


def layer(x: Float[Tensor, "n b"], w: Float[Tensor, "b a"], residual: bool) -> Float[Tensor, "n a"]:
    y = x @ w
    if residual:
        assert w.shape[0] == w.shape[1]
        y = y + x
    return y


def main() -> None:
    layer(torch.randn(4, 3), torch.randn(3, 3), True)
    layer(torch.randn(4, 3), torch.randn(3, 2), False)


# run: main()
