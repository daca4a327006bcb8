import torch
from jaxtyping import Float
from torch import Tensor


def local_blocks(x: Float[Tensor, "b 512 d"]) -> Float[Tensor, "b 8 64 d"]:
    b, s, d = x.shape
    return x.view(b, 8, s // 8, d)  #! return x.view(b, s // 8, 8, d)  # E: shape


# run: local_blocks(randn(2, 512, 3))
