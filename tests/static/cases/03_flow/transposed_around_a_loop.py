import torch
from jaxtyping import Float
from torch import Tensor


def newton_schulz(g: Float[Tensor, "rows cols"], steps: int = 3) -> Float[Tensor, "rows cols"]:
    x = g / g.norm()
    transposed = g.size(0) > g.size(1)
    if transposed:
        x = x.T
    for _ in range(steps):
        x = 1.5 * x - 0.5 * x @ x.T @ x
    if transposed:
        x = x.T  #! pass
    return x  # E: shape


# run: newton_schulz(torch.randn(7, 4))
