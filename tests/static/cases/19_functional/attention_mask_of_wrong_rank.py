import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor


def masked(q: Float[Tensor, "b h s d"], keep: Bool[Tensor, "b s"]) -> Float[Tensor, "b h s d"]:
    mask = keep[:, None, None, :]  #! mask = keep[:, :, None, None, None]
    return F.scaled_dot_product_attention(q, q, q, attn_mask=mask)  # E: shape


# run: masked(randn(2, 3, 5, 7), torch.ones(2, 5, dtype=torch.bool))
