import torch
from jaxtyping import Float
from torch import Tensor


def distance(x: Float[Tensor, "n d"], y: Float[Tensor, "m d"], paired: bool = False) -> Float[Tensor, "n *m"]:
    if paired:
        return (x - y).norm(dim=1)
    return torch.cdist(x, y)


def main() -> None:
    distance(torch.randn(4, 3), torch.randn(2, 3))
    distance(torch.randn(4, 3), torch.randn(4, 3), paired=True)


# run: main()
