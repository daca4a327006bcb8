import torch
from jaxtyping import Float
from torch import Tensor


def rope_angles(seq: int, inv_freq: Float[Tensor, "half"]) -> Float[Tensor, "{seq} half"]:
    t = torch.arange(seq).float()
    return torch.outer(t, inv_freq)  #! return torch.outer(inv_freq, t)  # E: shape


# run: rope_angles(5, randn(3))
