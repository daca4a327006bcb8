import torch
from jaxtyping import Float
from torch import Tensor


def join_features(
    image: Float[Tensor, "batch d_image"], text: Float[Tensor, "batch d_text"]
) -> Float[Tensor, "batch d_image+d_text"]:
    return torch.cat([image, text], dim=1)  #! return torch.cat([image, text], dim=0)  # E: shape


# run: join_features(randn(4, 10), randn(4, 6))
