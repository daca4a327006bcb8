import torch
from jaxtyping import Bool, Float
from torch import Tensor


def select(x: Float[Tensor, "n d"], keep: Bool[Tensor, "n"]) -> Float[Tensor, "m d"]:
    if (count := int(keep.sum())) == 0:
        return x.new_zeros(0, x.shape[1])  #! return x.new_zeros(0)  # E: shape
    out = x[keep]
    assert len(out) == count
    return out


def pooled(x: Float[Tensor, "n d"], keep: Bool[Tensor, "n"]) -> Float[Tensor, "d"]:
    return select(x, keep).sum(0)


# run: pooled(randn(4,3), torch.zeros(4).bool())
