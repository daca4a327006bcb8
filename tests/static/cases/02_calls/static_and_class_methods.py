from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor


class Camera:
    def __init__(self, k: Float[Tensor, "3 3"]) -> None:
        self.k = k

    @classmethod
    def from_focal(cls, focal: float) -> Camera:
        return cls(torch.diag(torch.tensor([focal, focal, 1.0])))

    @staticmethod
    def homogeneous(points: Float[Tensor, "n d"]) -> Float[Tensor, "n d+1"]:
        return torch.cat([points, points.new_ones(len(points), 1)], dim=1)

    def project(self, points: Float[Tensor, "n 3"]) -> Float[Tensor, "n 2"]:
        p = points @ self.k.T
        return p[:, :2] / p[:, 2:]

    def unproject(self, pixels: Float[Tensor, "n 2"]) -> Float[Tensor, "n 3"]:
        return self.homogeneous(pixels) @ self.k.inverse().T  #! return pixels @ self.k.inverse().T  # E: shape


# run: Camera.from_focal(2.0).unproject(randn(5, 2))
