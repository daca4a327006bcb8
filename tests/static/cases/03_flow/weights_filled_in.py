"""Weights that are not given are ones, as many as there are samples."""

import torch
from jaxtyping import Float
from torch import Tensor


def weighted_error(
    predicted: Float[Tensor, "samples outputs"],
    target: Float[Tensor, "samples outputs"],
    weight: Float[Tensor, "samples"] | None = None,
) -> Float[Tensor, ""]:
    if weight is None:
        weight = torch.ones(predicted.shape[0])  #! weight = torch.ones(predicted.shape[1])
    error = (predicted - target).square().mean(dim=1)
    return (error * weight).sum() / weight.sum()  # E: shape


# run: weighted_error(torch.rand(4, 3), torch.rand(4, 3))
