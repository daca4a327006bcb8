import torch
from jaxtyping import Float
from torch import Tensor


def pairwise(x: Float[Tensor, "n d"]) -> Float[Tensor, "n n"]:
    sq = (x * x).sum(1, keepdim=True)
    return sq + (x * x).sum(1) - 2 * x @ x.T


def main() -> None:
    for n, d in [(5, 3), (2, 7)]:
        x = torch.randn(n, d)
        assert torch.allclose(pairwise(x), torch.cdist(x, x) ** 2, atol=1e-4)


# run: main()
