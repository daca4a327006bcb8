"""Two axes given one after the other, as in ``permute``: the second stands where ``keepdim`` does."""

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor


def pooled(x: Float[Tensor, "batch channels height width"]) -> Float[Tensor, "batch channels"]:
    return x.mean((2, 3))  #! return x.mean(2, 3)  # E: shape


def energy(x: Float[Tensor, "batch time"]) -> Float[Tensor, ""]:
    return torch.sum(x.square(), (0, 1))  #! return torch.sum(x.square(), 0, 1)  # E: shape


def loudest(x: Float[Tensor, "batch time"]) -> Float[Tensor, "1 time"]:
    return x.amax(dim=0, keepdim=True)  #! return x.amax(dim=0, keepdim=1)  # E: shape


def kept(x: Float[Tensor, "batch time"], keep: bool = True) -> Float[Tensor, "batch *rest"]:
    several = x.shape[0] > 0
    column = x.mean(1, several) + x.sum(1, True) + x.amax(1, keepdim=bool(1))
    return x.sum(1, keep) if keep else column


def of_arrays(x: Float[np.ndarray, "batch time"]) -> Float[np.ndarray, "batch 1"]:
    return x.sum(axis=1, keepdims=1) + np.max(x, 1, keepdims=1)


# run: pooled(randn(2, 3, 5, 7)), energy(randn(2, 3)), loudest(randn(2, 3)), kept(randn(2, 3))
