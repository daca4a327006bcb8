import torch
from jaxtyping import Float
from torch import Tensor


def patchify(x: Float[Tensor, "b 3 224 224"]) -> Float[Tensor, "b 196 768"]:
    b = x.shape[0]
    x = x.reshape(b, 3, 14, 16, 14, 16)
    x = x.permute(0, 2, 4, 3, 5, 1)
    return x.reshape(b, 14 * 14, 16 * 16 * 3)  #! return x.reshape(b, 16 * 16, 14 * 14 * 3)  # E: shape


# run: patchify(randn(2, 3, 224, 224))
