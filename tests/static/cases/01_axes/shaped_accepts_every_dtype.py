import torch
from jaxtyping import Bool, Float, Shaped
from torch import Tensor


def repeat_rows(x: Shaped[Tensor, "b *rest"], times: int) -> Shaped[Tensor, "b*{times} *rest"]:
    return x.repeat_interleave(times, dim=0)


def beams(mask: Bool[Tensor, "b s"], state: Float[Tensor, "b s d"]) -> Float[Tensor, "b*4 s d"]:
    alive = repeat_rows(mask, 4)
    return repeat_rows(state, 4) * alive.unsqueeze(-1)  #! return repeat_rows(state, 4) * mask.unsqueeze(-1)  # E: shape


# run: beams(randn(2, 3) > 0, randn(2, 3, 5))
