import torch
from jaxtyping import Float
from torch import Tensor


def spherical(points: Float[Tensor, "n 3"]) -> Float[Tensor, "n 3"]:
    x, y, z = points.split(1, dim=1)  #! x, y, z = points.split(1)  # E: shape
    r = points.norm(dim=1, keepdim=True)
    return torch.cat([r, torch.acos(z / r), torch.atan2(y, x)], dim=1)  # e: shape


# run: spherical(randn(5, 3))
