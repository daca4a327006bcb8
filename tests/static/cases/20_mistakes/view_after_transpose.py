import torch
from jaxtyping import Float
from torch import Tensor


def merge_heads(x: Float[Tensor, "batch heads seq head_dim"]) -> Float[Tensor, "batch seq heads*head_dim"]:
    batch, heads, seq, head_dim = x.shape
    x = x.transpose(1, 2)
    return x.reshape(batch, seq, heads * head_dim)  #! return x.view(batch, seq, heads * head_dim)  # E: contiguity


# run: merge_heads(randn(2, 3, 5, 4))
