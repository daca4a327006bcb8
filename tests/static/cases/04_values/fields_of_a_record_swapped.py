"""Two axes of one field of a record are two axes in its other fields."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor


@dataclass
class Components:
    axes: Float[Tensor, "k d"]
    mean: Float[Tensor, "d"]
    spread: Float[Tensor, "k"]


def components(x: Float[Tensor, "n d"], k: int) -> Components:
    mean = x.mean(dim=0)
    _, s, vt = torch.linalg.svd(x - mean, full_matrices=False)
    return Components(vt[:k], mean, s[:k])  #! return Components(vt[:k], s[:k], mean)  # E: shape


# run: components(randn(6, 4), 2)
