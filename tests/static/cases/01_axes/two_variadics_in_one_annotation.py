import torch
from jaxtyping import Float
from torch import Tensor


def outer(
    a: Float[Tensor, "*batch m"],
    b: Float[Tensor, "*batch n"],
) -> Float[Tensor, "*batch m n"]:  #! ) -> Float[Tensor, "*batch *mn"]:  # E: axes
    return a.unsqueeze(-1) * b.unsqueeze(-2)


# run: outer(randn(2, 3), randn(2, 5))
