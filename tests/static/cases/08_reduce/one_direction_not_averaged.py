import torch
from jaxtyping import Float
from torch import Tensor


def chamfer(a: Float[Tensor, "b n 3"], p: Float[Tensor, "b m 3"]) -> Float[Tensor, "b"]:
    d = torch.cdist(a, p)
    there = d.min(dim=2).values.mean(dim=1)  #! there = d.min(dim=2).values
    return there + d.min(dim=1).values.mean(dim=1)  # E: shape


# run: chamfer(randn(2, 5, 3), randn(2, 4, 3))
