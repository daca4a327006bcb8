from typing import TypeVar

import torch
from jaxtyping import Float
from torch import Tensor

T = TypeVar("T", bound=Tensor)


def detached(x: T) -> T:
    return x.detach()


def target(q: Float[Tensor, "b actions"]) -> Float[Tensor, "b"]:
    return detached(q).amax(-1)  #! return detached(q)  # E: shape


# run: target(randn(3, 5))
