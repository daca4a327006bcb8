import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor


def rotate(x: Float[Tensor, "b c h w"], angle: Float[Tensor, "b"]) -> Float[Tensor, "b c h w"]:
    cos, sin, zero = angle.cos(), angle.sin(), torch.zeros_like(angle)
    theta = torch.stack([torch.stack([cos, -sin, zero], -1), torch.stack([sin, cos, zero], -1)], 1)
    size = x.shape  #! size = x.shape[2:]
    grid = F.affine_grid(theta, list(size), align_corners=False)  # E: shape
    return F.grid_sample(x, grid, align_corners=False)


# run: rotate(randn(2, 3, 4, 5), randn(2))
