import torch
from jaxtyping import Float
from torch import Tensor


def as_batch(x: Float[Tensor, "b d"] | list[Float[Tensor, "d"]]) -> Float[Tensor, "b d"]:
    if isinstance(x, list):
        return torch.stack(x)  #! return torch.cat(x)  # E: shape
    return x


# run: as_batch([randn(3), randn(3)])
