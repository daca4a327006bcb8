import torch
from jaxtyping import Bool, Float
from torch import Tensor


def valid_points(points: Float[Tensor, "b n 3"], mask: Bool[Tensor, "b n"]) -> Float[Tensor, "kept 3"]:
    return points[mask]  #! return points[:, mask]  # E: shape


# run: valid_points(randn(2, 5, 3), randn(2, 5) > 0)
