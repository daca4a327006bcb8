import torch
from jaxtyping import Float
from torch import Tensor


def lerp(
    a: Float[Tensor, "*#s"], b: Float[Tensor, "*#s"], t: Float[Tensor, ""]
) -> Float[Tensor, "*s"]:
    return a + (b - a) * t


def blend_images(
    x: Float[Tensor, "n c h w"], bg: Float[Tensor, "c 1 1"], alpha: float
) -> Float[Tensor, "n c h w"]:
    return lerp(x, bg, torch.tensor(alpha))  #! return lerp(x, bg[None, None], torch.tensor(alpha))  # E: shape


# run: blend_images(randn(2,3,4,5), randn(3,1,1), 0.3)
