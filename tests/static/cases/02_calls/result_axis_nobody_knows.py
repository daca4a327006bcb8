import torch
from jaxtyping import Bool, Float
from torch import Tensor


def keep(x: Float[Tensor, "n d"], mask: Bool[Tensor, "n"]) -> Float[Tensor, "kept d"]:
    return x[mask]


def mean_of_kept(x: Float[Tensor, "n d"], mask: Bool[Tensor, "n"]) -> Float[Tensor, "d"]:
    return keep(x, mask).mean(0)  #! return keep(x, mask)  # E: shape


# run: mean_of_kept(randn(3, 5), torch.tensor([True, False, True]))
