import torch
from jaxtyping import Float
from torch import Tensor


def spherical(points: Float[Tensor, "n 3"]) -> Float[Tensor, "n 3"]:
    x, y, z = torch.unbind(points, -1)  #! x, y, z = torch.unbind(points)  # E: shape
    r = points.norm(dim=-1)
    return torch.stack([r, torch.acos(z / r), torch.atan2(y, x)], dim=-1)  # e: shape


# run: spherical(randn(5, 3))
