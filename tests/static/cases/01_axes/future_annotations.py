from __future__ import annotations

from jaxtyping import Float
from torch import Tensor


def gram(x: Float[Tensor, "n d"]) -> Float[Tensor, "n n"]:
    return x @ x.T  #! return x.T @ x  # E: shape


# run: gram(randn(3, 5))
