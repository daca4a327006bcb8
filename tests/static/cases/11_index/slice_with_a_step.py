import torch
from jaxtyping import Float
from torch import Tensor


def rotate_pairs(x: Float[Tensor, "b s 64"]) -> Float[Tensor, "b s 64"]:
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((-odd, even), dim=-1).flatten(-2)  #! return torch.stack((-odd, even), dim=-1)  # E: shape


# run: rotate_pairs(randn(2, 3, 64))
