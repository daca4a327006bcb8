import torch
from jaxtyping import Float
from torch import Tensor


def transform(p: Float[Tensor, "k n"], R: Float[Tensor, "3 3"] | None = None) -> Float[Tensor, "k n"]:
    if R is not None:
        assert p.shape[1] == 3
        p = p @ R.T
    return p


def main() -> None:
    transform(torch.randn(4, 3), torch.eye(3))
    transform(torch.randn(4, 2))


# run: main()
