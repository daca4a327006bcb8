import torch
from jaxtyping import Float
from torch import Tensor


def to_homogeneous(points: Float[Tensor, "n d"]) -> Float[Tensor, "n d+1"]:
    return torch.cat([points, torch.ones_like(points[:, :1])], dim=1)


def transform(matrix: Float[Tensor, "4 4"], points: Float[Tensor, "n 4"]) -> Float[Tensor, "n 4"]:
    return points @ matrix.T
