"""Operators of one statement that meet the same wrong operand show one fault."""

import torch
from jaxtyping import Float
from torch import Tensor


def mixed(
    x: Float[Tensor, "b c h w"], y: Float[Tensor, "b k"]
) -> tuple[Float[Tensor, "b c h w"], Float[Tensor, "b k"]]:
    order = torch.randperm(x.shape[0])
    weight = torch.rand(x.shape[0])  #! weight = torch.rand(x.shape[1])
    for_x = weight[:, None, None, None]
    for_y = weight[:, None]
    mixed_x = for_x * x + (1 - for_x) * x[order]  #! mixed_x = for_x * x + (1 - for_x) * x[order]  # E: shape
    mixed_y = for_y * y + (1 - for_y) * y[order]  # E: shape
    return mixed_x, mixed_y


# run: mixed(randn(4, 3, 5, 6), randn(4, 2))
