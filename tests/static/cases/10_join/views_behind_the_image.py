import torch
from jaxtyping import Float
from torch import Tensor


def batch(
    image: Float[Tensor, "c h w"], views: list[Float[Tensor, "c h w"]]
) -> Float[Tensor, "n c h w"]:
    return torch.stack([image, *views])  #! return torch.stack([image[None], *views])  # E: shape


# run: batch(randn(3, 4, 5), [randn(3, 4, 5), randn(3, 4, 5)])
