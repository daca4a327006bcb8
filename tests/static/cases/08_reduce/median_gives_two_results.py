import torch
from jaxtyping import Float
from torch import Tensor


def robust_centre(x: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
    middle = x.median(dim=0).values  #! middle = x.median(dim=1).values
    return x - middle  # E: shape


# run: robust_centre(randn(3, 5))
