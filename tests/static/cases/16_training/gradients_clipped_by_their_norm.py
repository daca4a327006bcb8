from collections.abc import Iterable

import torch
from jaxtyping import Float
from torch import Tensor, nn


def clip(parameters: Iterable[nn.Parameter], limit: float) -> Float[Tensor, ""]:
    grads = [p.grad for p in parameters if p.grad is not None]
    squares = torch.stack([g.square().sum() for g in grads])
    total = squares.sum().sqrt()  #! total = squares.sqrt()
    for g in grads:
        g.mul_((limit / (total.max() + 1e-6)).clamp(max=1.0))
    return total  # E: shape


def clipped(layer: nn.Linear, x: Float[Tensor, "n d"]) -> Float[Tensor, ""]:
    layer(x).square().mean().backward()
    return clip(layer.parameters(), 1.0)


# run: clipped(nn.Linear(3, 2), randn(5, 3))
