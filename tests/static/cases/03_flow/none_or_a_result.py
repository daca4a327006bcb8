import torch
from jaxtyping import Float
from torch import Tensor


def last_loss(losses: Float[Tensor, "n b"], patience: int) -> Float[Tensor, ""] | None:
    last = losses[-1].mean() if patience > 0 else None  #! last = losses[-1] if patience > 0 else None
    return last  # E: shape


# run: last_loss(randn(4, 3), 2)
# run: last_loss(randn(4, 3), 0)
