import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor


def warp(image: Float[Tensor, "b c h w"], grid: Float[Tensor, "b h w 2"]) -> Float[Tensor, "b c h w"]:
    return F.grid_sample(image, grid, align_corners=False)  #! return F.grid_sample(image, grid.permute(0, 3, 1, 2), align_corners=False)  # E: shape


# run: warp(randn(2, 3, 5, 7), torch.rand(2, 5, 7, 2))
