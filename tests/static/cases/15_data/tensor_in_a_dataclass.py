from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor


@dataclass
class Batch:
    tokens: Int[Tensor, "batch seq"]
    weight: Float[Tensor, "batch"]


def make(tokens: Int[Tensor, "n t"]) -> Batch:
    return Batch(tokens=tokens, weight=torch.ones(len(tokens)))  #! return Batch(tokens=tokens, weight=torch.ones_like(tokens).float())  # E: shape


# run: make(randint(0, 9, (3, 5)))
