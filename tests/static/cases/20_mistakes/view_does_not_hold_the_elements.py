import torch
from jaxtyping import Float
from torch import Tensor


def split_heads(x: Float[Tensor, "batch seq 512"]) -> Float[Tensor, "batch seq 8 64"]:
    batch, seq, _ = x.shape
    return x.view(batch, seq, 8, 64)  #! return x.view(batch, seq, 8, 32)  # E: shape


# run: split_heads(randn(2, 3, 512))
