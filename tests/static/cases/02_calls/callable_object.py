from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor


@dataclass(frozen=True)
class Crop:
    size: int

    def __call__(self, image: Float[Tensor, "c h w"]) -> Float[Tensor, "c {self.size} {self.size}"]:
        return image[:, : self.size, : self.size]


def thumbnails(images: list[Float[Tensor, "3 h w"]]) -> Float[Tensor, "n 3 8 8"]:
    crop = Crop(8)  #! crop = Crop(9)
    return torch.stack([crop(image) for image in images])  # E: shape


# run: thumbnails([randn(3, 11, 13), randn(3, 11, 13)])
