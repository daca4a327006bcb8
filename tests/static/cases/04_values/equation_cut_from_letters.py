import torch
from torch import Tensor


def contract(x: Tensor, factors: list[Tensor]) -> Tensor:
    axes = "abcdefgh"[: x.dim()]
    for i, factor in enumerate(factors):
        x = torch.einsum(f"{axes},{axes[i]}z->{axes.replace(axes[i], 'z')}", x, factor)
    return x


def main() -> Tensor:
    core = torch.randn(2, 3, 4)
    factors = [torch.randn(n, 5 * n) for n in core.shape]
    return contract(core, factors) + torch.zeros(10, 15, 20)  #! return contract(core, factors) + torch.zeros(10, 15, 12)  # E: shape


# run: main()
