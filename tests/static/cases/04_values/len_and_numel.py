import torch
from jaxtyping import Float
from torch import Tensor


def flat(x: Float[Tensor, "n d"]) -> Float[Tensor, "n*d"]:
    return x.view(x.numel())


def pad_to(x: Float[Tensor, "n d"], size: int) -> Float[Tensor, "{size} d"]:
    missing = size - len(x)
    return torch.cat([x, x.new_zeros(missing, x.shape[1])])  #! return torch.cat([x, x.new_zeros(missing, len(x))])  # E: shape


# run: pad_to(randn(3, 5), 7)
