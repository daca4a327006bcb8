import torch
from jaxtyping import Float, Int
from torch import Tensor


def last_valid(x: Float[Tensor, "b s d"], lengths: Int[Tensor, "b"]) -> Float[Tensor, "b d"]:
    rows = torch.arange(x.shape[0])  #! rows = torch.arange(x.shape[1])
    return x[rows, lengths - 1]  # E: shape


# run: last_valid(randn(2, 5, 7), torch.tensor([2, 5]))
