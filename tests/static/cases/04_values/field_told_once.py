from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor


@dataclass
class Rays:
    origins: Float[Tensor, "rays 3"]
    directions: Float[Tensor, "rays 3"]

    def at(self, t: Float[Tensor, "rays"]) -> Float[Tensor, "rays 3"]:
        return self.origins + t[:, None] * self.directions


def render(pixels: Float[Tensor, "rays 3"], t: Float[Tensor, "rays"]) -> Float[Tensor, "rays 3"]:
    rays = Rays(torch.zeros_like(pixels), pixels / pixels.norm(dim=-1, keepdim=True))  #! rays = Rays(torch.zeros_like(pixels), pixels.norm(dim=-1))  # E: shape
    far = rays.at(t)
    return far - rays.directions


# run: render(torch.rand(7, 3), torch.rand(7))
