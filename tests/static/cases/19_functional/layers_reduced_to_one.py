from functools import reduce

import torch
from jaxtyping import Float
from torch import Tensor


def transport(
    x: Float[Tensor, "batch dim"], maps: list[Float[Tensor, "dim dim"]], out: Float[Tensor, "dim classes"]
) -> Float[Tensor, "batch classes"]:
    moved = reduce(lambda h, m: torch.tanh(h @ m), maps, x)
    return moved @ out  #! return moved @ out.T  # E: shape


# run: transport(torch.randn(3, 4), [torch.randn(4, 4) for _ in range(3)], torch.randn(4, 2))
