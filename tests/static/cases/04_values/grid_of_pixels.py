"""Where each pixel of an image lies: rows first, then columns."""

import torch
from jaxtyping import Float
from torch import Tensor


def pixel_grid(height: int, width: int) -> Float[Tensor, "height width 2"]:
    ys, xs = torch.linspace(-1, 1, height), torch.linspace(-1, 1, width)
    y, x = torch.meshgrid(ys, xs, indexing="ij")  #! y, x = torch.meshgrid(ys, xs, indexing="xy")
    return torch.stack([x, y], dim=-1)  # E: shape


# run: assert pixel_grid(4, 5).shape == (4, 5, 2)
