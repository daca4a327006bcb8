import math

import torch
from jaxtyping import Float
from torch import Tensor, nn


class Subsampling(nn.Module):
    def __init__(self, mels: int, dim: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(mels)
        self.conv = nn.Sequential(nn.Conv2d(1, dim, 3, 2, 1), nn.ReLU(), nn.Conv2d(dim, dim, 3, 2, 1), nn.ReLU())
        self.project = nn.Linear(dim * math.ceil(mels / 4), dim)  #! self.project = nn.Linear(dim * math.ceil(mels / 2), dim)

    def forward(self, x: Float[Tensor, "batch frames mels"]) -> Float[Tensor, "batch _ dim"]:
        y = self.conv(self.norm(x)[:, None])
        return self.project(y.transpose(1, 2).flatten(2))  # E: shape


# run: Subsampling(20, 6)(torch.randn(2, 41, 20))
