import torch
from jaxtyping import Float
from torch import Tensor


def distance(
    predicted: Float[Tensor, "b t"], target: Float[Tensor, "b t"], limit: float | None = None
) -> Float[Tensor, ""]:
    loss = (predicted - target).abs()
    each = loss.mean()  #! each = loss
    if limit is not None:
        each = loss.clamp(max=limit).mean()
    return each  # E: shape


# run: distance(randn(2, 5), randn(2, 5))
# run: distance(randn(2, 5), randn(2, 5), 0.5)
