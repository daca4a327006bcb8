import torch
from jaxtyping import Float
from torch import Tensor


def prior(mean: Float[Tensor, "d"] | None, x: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
    centre = x.mean(0) if mean is None else mean  #! centre = x.mean(1) if mean is None else x.mean(1)
    return x - centre  # E: shape


# run: prior(None, randn(3, 5))
