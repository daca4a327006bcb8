import torch
from jaxtyping import Float
from torch import Tensor


def blend(
    x: Float[Tensor, "b d"], y: Float[Tensor, "b d"] | None = None, weight: float = 0.5
) -> Float[Tensor, "b d"]:
    if y is None:
        y = torch.zeros_like(x)
    return weight * x + (1 - weight) * y


def run(x: Float[Tensor, "b d"], c: Float[Tensor, "d"]) -> Float[Tensor, "b d"]:
    return blend(x, c.expand_as(x))  #! return blend(x, c)  # E: shape


# run: run(randn(3, 5), randn(5))
