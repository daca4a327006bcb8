"""A mask of numbers may be in float32 whatever the queries are in."""

import torch
import torch.nn.functional as F
from jaxtyping import BFloat16, Float32
from torch import Tensor


def attend(
    q: BFloat16[Tensor, "b h s d"], k: BFloat16[Tensor, "b h t d"], bias: Float32[Tensor, "s t"]
) -> BFloat16[Tensor, "b h s d"]:
    causal = torch.full((q.shape[2], k.shape[2]), float("-inf")).triu(1)
    return F.scaled_dot_product_attention(q, k, k, attn_mask=causal + bias)


# run: attend(randn(2, 3, 5, 4).bfloat16(), randn(2, 3, 7, 4).bfloat16(), randn(5, 7))
