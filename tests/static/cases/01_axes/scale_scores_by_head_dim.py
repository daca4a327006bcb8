import math

import torch
from jaxtyping import Float
from torch import Tensor


def attention_scores(
    q: Float[Tensor, "batch heads query head_dim"],
    k: Float[Tensor, "batch heads key head_dim"],
) -> Float[Tensor, "batch heads query key"]:
    scale = 1.0 / math.sqrt(q.shape[-1])
    return torch.matmul(q, k.transpose(-2, -1)) * scale  #! return torch.matmul(q, k) * scale  # E: shape


# run: attention_scores(randn(2, 3, 5, 7), randn(2, 3, 11, 7))
