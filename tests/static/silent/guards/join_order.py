import torch
from jaxtyping import Float
from torch import Tensor


def combine(x: Float[Tensor, "a d"], y: Float[Tensor, "b d"], pool: bool = True) -> Float[Tensor, "a d"]:
    if pool:
        y = y.mean(0, keepdim=True)
    else:
        assert len(x) == len(y)
    return x + y


def main() -> None:
    combine(torch.randn(4, 3), torch.randn(2, 3))
    combine(torch.randn(4, 3), torch.randn(4, 3), pool=False)


# run: main()
