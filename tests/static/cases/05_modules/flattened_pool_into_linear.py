import torch
import torch.nn.functional as F
from torch import Tensor, nn
from jaxtyping import Float
class STN(nn.Module):
    def __init__(self, channels: int):
        super().__init__()
        self.loc = nn.Sequential(nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(channels * 16, 6))  #! self.loc = nn.Sequential(nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(channels * 4, 6))
    def forward(self, x: Float[Tensor, "b channels h w"]) -> Float[Tensor, "b channels h w"]:
        theta = self.loc(x).view(-1, 2, 3)  # E: shape
        grid = F.affine_grid(theta, x.shape, align_corners=False)
        return F.grid_sample(x, grid, align_corners=False)


# run: STN(3)(randn(2, 3, 8, 8))
