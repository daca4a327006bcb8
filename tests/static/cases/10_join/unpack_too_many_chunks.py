import torch
from jaxtyping import Float
from torch import Tensor


def adaptive_norm(x: Float[Tensor, "b s d"], cond: Float[Tensor, "b 6*d"]) -> Float[Tensor, "b s d"]:
    shift, scale, gate, *_ = cond.chunk(6, dim=-1)  #! shift, scale, gate = cond.chunk(6, dim=-1)  # E: shape
    return x * (1 + scale[:, None]) + gate[:, None] * shift[:, None]


# run: adaptive_norm(randn(2, 3, 5), randn(2, 30))
