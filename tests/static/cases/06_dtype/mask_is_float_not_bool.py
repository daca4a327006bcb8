import torch
from jaxtyping import Bool, Float
from torch import Tensor


def padding_mask(lengths: Float[Tensor, "b"], size: int) -> Bool[Tensor, "b {size}"]:
    steps = torch.arange(size).float()
    return steps[None] < lengths[:, None]  #! return steps[None] - lengths[:, None]  # E: dtype


# run: padding_mask(torch.tensor([2.0, 3.0, 5.0]), 7)
