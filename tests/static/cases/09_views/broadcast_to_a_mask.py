import torch
from jaxtyping import Bool
from torch import Tensor


def attention_mask(keys: Bool[Tensor, "b s"], heads: int) -> Bool[Tensor, "b {heads} s s"]:
    b, s = keys.shape
    return keys[:, None, None, :].expand(b, heads, s, s)  #! return keys[:, None, :].expand(b, heads, s, s)  # E: shape


# run: attention_mask(torch.ones(2, 5, dtype=torch.bool), 3)
