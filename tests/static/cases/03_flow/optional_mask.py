import torch
from jaxtyping import Bool, Float
from torch import Tensor


def masked_mean(
    x: Float[Tensor, "b s d"], mask: Bool[Tensor, "b s"] | None = None
) -> Float[Tensor, "b d"]:
    if mask is None:
        return x.mean(1)
    weight = mask.float().unsqueeze(-1)  #! weight = mask.float().unsqueeze(1)
    return (x * weight).sum(1) / weight.sum(1)  # E: shape


# run: masked_mean(randn(2, 3, 5), randn(2, 3) > -1)
