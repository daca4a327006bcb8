"""A rotation of the features that need not be given."""

import torch
from jaxtyping import Float
from torch import Tensor


def similarity(
    x: Float[Tensor, "n d"], y: Float[Tensor, "m d"], metric: Float[Tensor, "d d"] | None = None
) -> Float[Tensor, "n m"]:
    if metric is not None:
        y = y @ metric  #! y = metric @ y.T
    return x @ y.T  # E: shape


# run: similarity(torch.rand(3, 2), torch.rand(4, 2))
# run: similarity(torch.rand(3, 2), torch.rand(4, 2), torch.eye(2))
