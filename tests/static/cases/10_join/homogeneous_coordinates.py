import torch
from jaxtyping import Float
from torch import Tensor


def homogeneous(points: Float[Tensor, "n 3"]) -> Float[Tensor, "n 4"]:
    ones = torch.ones(points.shape[0], 1)  #! ones = torch.ones(1, points.shape[0])
    return torch.cat([points, ones], dim=1)  # E: shape


# run: homogeneous(randn(5, 3))
