import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


def lengths(mask: Bool[Tensor, "b s"]) -> Int[Tensor, "b"]:
    return mask.sum(1)


def averages(x: Float[Tensor, "b s d"], mask: Bool[Tensor, "b s"]) -> Float[Tensor, "b d"]:
    total = (x * mask[..., None]).sum(1)
    return total / lengths(mask)[:, None]  #! return lengths(mask)[:, None].expand_as(total)  # E: dtype


# run: averages(randn(2, 3, 5), randn(2, 3) > 0)
