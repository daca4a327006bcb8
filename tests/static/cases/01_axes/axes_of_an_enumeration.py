from enum import StrEnum

import torch
from jaxtyping import Float
from torch import Tensor


class Axis(StrEnum):
    BATCH = "batch"
    POSITION = "position"
    FEATURE = "feature"


Stream = Float[Tensor, f"{Axis.BATCH} {Axis.POSITION} {Axis.FEATURE}"]


def scores(query: Stream, key: Float[Tensor, f"{Axis.BATCH.value} source {Axis.FEATURE.value}"]) -> Tensor:
    return torch.softmax(query @ key.mT, dim=-1)  #! return torch.softmax(query @ key, dim=-1)  # E: shape


# run: scores(randn(2, 3, 5), randn(2, 7, 5))
