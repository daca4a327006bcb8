from typing import TypeAlias

import torch
from jaxtyping import Float
from torch import Tensor

Image: TypeAlias = Float[Tensor, "c h w"]
Batch = Float[Tensor, "b c h w"]


def collate(images: list[Image]) -> Batch:
    return torch.stack(images)  #! return torch.cat(images)  # E: shape


# run: collate([randn(3, 5, 7), randn(3, 5, 7)])
