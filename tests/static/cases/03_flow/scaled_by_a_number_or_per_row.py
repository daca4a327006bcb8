"""One scale for all rows, or one for each."""

import torch
from jaxtyping import Float
from torch import Tensor


def scaled(x: Float[Tensor, "rows columns"], scale: float | Float[Tensor, "rows"]) -> Float[Tensor, "rows columns"]:
    if isinstance(scale, Tensor):
        scale = scale[:, None]  #! scale = scale[None, :]
    return x * scale  # E: shape


# run: scaled(torch.rand(4, 3), 2.0)
# run: scaled(torch.rand(4, 3), torch.rand(4))
