import torch
from jaxtyping import Float
from torch import Tensor


def head_importance(attn: Float[Tensor, "b h q k"], grad: Float[Tensor, "b h q k"]) -> Float[Tensor, "h"]:
    saliency = (attn * grad).abs()
    return saliency.sum(dim=(0, 2, 3))  #! return saliency.sum(dim=(0, 1, 3))  # E: shape


# run: head_importance(randn(2, 3, 5, 7), randn(2, 3, 5, 7))
