import torch
from jaxtyping import Float
from torch import Tensor


def patches(images: Float[Tensor, "batch 3 32 32"]) -> Float[Tensor, "batch 64 48"]:
    x = images.unfold(2, 4, 4).unfold(3, 4, 4)
    x = x.permute(0, 2, 3, 1, 4, 5)
    assert x.shape[1:] == (8, 8, 3, 4, 4)  #! assert x.shape[1:] == (8, 8, 4, 4, 3)  # E: shape
    return x.flatten(3).flatten(1, 2)


# run: patches(randn(2, 3, 32, 32))
