"""Cameras and pixels broadcast to each other, and drawings take points in any form."""

from collections.abc import Iterable

import torch
from einops import einsum, rearrange
from jaxtyping import Float, Shaped
from torch import Tensor, nn

Vector = float | Iterable[Tensor] | Shaped[Tensor, "3"] | Shaped[Tensor, "batch 3"]


def homogenize(points: Float[Tensor, "*batch dim"]) -> Float[Tensor, "*batch dim+1"]:
    return torch.cat([points, torch.ones_like(points[..., :1])], dim=-1)


def unproject(
    xy: Float[Tensor, "*#batch dim"],
    z: Float[Tensor, "*#batch"],
    intrinsics: Float[Tensor, "*#batch dim+1 dim+1"],
) -> Float[Tensor, "*batch dim+1"]:
    rays = einsum(intrinsics.inverse(), homogenize(xy), "... i j, ... j -> ... i")
    return rays * z[..., None]


def corners(intrinsics: Float[Tensor, "b f 3 3"]) -> Float[Tensor, "4 3"]:
    xy = torch.tensor([[[0.0, 0.0], [1.0, 0.0]], [[0.0, 1.0], [1.0, 1.0]]])
    rays = unproject(xy, torch.ones_like(xy[..., 0]), rearrange(intrinsics, "b f i j -> b f () () i j"))
    return rearrange(rays[0, 0], "h w xyz -> (h w) xyz")


def through(xy: Float[Tensor, "2"], cameras: dict[str, object]) -> Float[Tensor, "3"]:
    # how many cameras there are is not known here, so neither is the number of axes
    rays = unproject(xy, torch.ones(()), cameras["intrinsics"])
    return rays.flatten(0, -2)[0]


def draw(canvas: Float[Tensor, "3 h w"], points: Vector) -> Float[Tensor, "3 h w"]:
    marks = points if isinstance(points, (float, Tensor)) else torch.stack(list(points))
    return canvas + torch.as_tensor(marks).mean()


class OnePixel(nn.Module):
    """Attention among images, of which each token is one pixel."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.mix = nn.Conv2d(width, width, 1)

    def forward(self, x: Float[Tensor, "batch token dim"], h: int, w: int) -> Float[Tensor, "batch token dim"]:
        image = rearrange(x, "(b h w) () c -> b c h w", h=h, w=w)
        return rearrange(self.mix(image) + image, "b c h w -> (b h w) () c")


def shown(x: Float[Tensor, "batch token dim"], hidden: bool) -> Float[Tensor, "batch token dim"] | None:
    return None if hidden else rearrange(rearrange(x, "b () d -> b d"), "b d -> b () d")


# run: camera = torch.eye(3).expand(1, 2, 3, 3)
# run: assert corners(camera).shape == (4, 3)
# run: assert through(torch.zeros(2), {"intrinsics": camera}).shape == (3,)
# run: assert draw(torch.zeros(3, 4, 4), torch.rand(7, 2)).shape == (3, 4, 4)
# run: assert OnePixel(5)(torch.rand(12, 1, 5), 2, 3).shape == (12, 1, 5)
# run: assert shown(torch.rand(4, 1, 5), False).shape == (4, 1, 5)
