import torch
from jaxtyping import Float
from torch import Tensor


def grey(image: Float[Tensor, "3 h w"]) -> Float[Tensor, "h w"]:
    return image.mean(0)


def batch_grey(images: list[Float[Tensor, "3 h w"]]) -> Float[Tensor, "n h w"]:
    return torch.stack(list(map(grey, images)))  #! return torch.cat(list(map(grey, images)))  # E: shape


# run: batch_grey([randn(3, 5, 7), randn(3, 5, 7)])
