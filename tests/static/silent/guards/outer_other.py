import torch
from jaxtyping import Float
from torch import Tensor, nn


def gat_scores(
    h: Float[Tensor, "n d"], a: Float[Tensor, "d 1"], b: Float[Tensor, "d 1"]
) -> Float[Tensor, "n n"]:
    src, dst = h @ a, (h @ b).squeeze(-1)
    return nn.functional.leaky_relu(src + dst)


def main() -> None:
    gat_scores(torch.randn(5, 3), torch.randn(3, 1), torch.randn(3, 1))


# run: main()
