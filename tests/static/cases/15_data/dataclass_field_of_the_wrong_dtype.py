from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor


@dataclass(frozen=True)
class Masked:
    values: Float[Tensor, "b s d"]
    mask: Bool[Tensor, "b s"]


def build(x: Float[Tensor, "b s d"]) -> Masked:
    norm = x.norm(dim=-1)
    return Masked(x, norm > 0)  #! return Masked(x, norm)  # E: dtype


# run: build(randn(2, 3, 5))
