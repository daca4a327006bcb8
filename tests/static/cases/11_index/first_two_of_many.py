import torch
from jaxtyping import Float
from torch import Tensor


def ends(x: Float[Tensor, "b n d"]) -> Float[Tensor, "b n d"]:
    first, last = x[:, 0], x[:, -1]
    middle = x[:, 1:-1]
    both = [first[:, None], middle, last[:, None]]  #! both = [first[:, None], last[:, None]]
    return torch.cat(both, 1)  # E: shape


# run: ends(randn(2, 5, 3))
