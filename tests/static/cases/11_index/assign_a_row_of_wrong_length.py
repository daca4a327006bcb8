import torch
from jaxtyping import Float
from torch import Tensor


def causal_bias(n: int, slope: Float[Tensor, "h"]) -> Float[Tensor, "h {n}"]:
    out = torch.zeros(slope.shape[0], n)
    for i in range(n):
        out[:, i] = -i * slope  #! out[i] = -i * slope  # E: shape
    return out


# run: causal_bias(2, torch.ones(5))
