from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor


class Transition(NamedTuple):
    state: Float[Tensor, "batch obs"]
    action: Int[Tensor, "batch"]
    reward: Float[Tensor, "batch"]


def returns(batch: Transition, gamma: float) -> Float[Tensor, "batch"]:
    return batch.reward * gamma  #! return batch.state * gamma  # E: shape


# run: returns(Transition(randn(3, 5), randint(0, 2, (3,)), randn(3)), 0.9)
