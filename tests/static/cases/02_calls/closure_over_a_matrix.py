from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor


def projector(
    basis: Float[Tensor, "d k"],
) -> Callable[[Float[Tensor, "n d"]], Float[Tensor, "n k"]]:
    def project(x: Float[Tensor, "n d"]) -> Float[Tensor, "n k"]:
        return x @ basis  #! return x @ basis.T  # E: shape

    return project


# run: projector(randn(5, 3))(randn(7, 5))
