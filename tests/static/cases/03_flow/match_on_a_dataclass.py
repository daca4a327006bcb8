from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor


@dataclass
class Points:
    xyz: Float[Tensor, "n 3"]


@dataclass
class Image:
    pixels: Float[Tensor, "c h w"]


def embed(item: Points | Image) -> Float[Tensor, "d"]:
    match item:
        case Points(xyz=p):
            return p.mean(0)
        case Image(pixels=im):
            return im.flatten(1).mean(1)  #! return im.flatten(1).mean(1, keepdim=True)  # E: shape


# run: embed(Image(randn(3, 4, 5)))
