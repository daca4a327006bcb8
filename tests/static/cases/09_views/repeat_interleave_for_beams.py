import torch
from jaxtyping import Float
from torch import Tensor


def expand_beams(x: Float[Tensor, "b s d"], memory: Float[Tensor, "b m d"]) -> Float[Tensor, "b*3 s m"]:
    xs = x.repeat_interleave(3, dim=0)
    ms = memory.repeat_interleave(3, dim=0)  #! ms = memory.repeat_interleave(3, dim=1)
    return xs @ ms.mT  # E: shape


# run: expand_beams(randn(2, 5, 7), randn(2, 11, 7))
