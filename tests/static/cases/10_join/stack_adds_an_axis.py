import torch
from jaxtyping import Float
from torch import Tensor


def to_complex_pairs(re: Float[Tensor, "b n"], im: Float[Tensor, "b n"]) -> Float[Tensor, "b n 2"]:
    return torch.stack((re, im), dim=-1)  #! return torch.stack((re, im))  # E: shape


# run: to_complex_pairs(randn(3, 5), randn(3, 5))
