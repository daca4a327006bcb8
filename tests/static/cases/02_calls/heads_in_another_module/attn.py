import torch
import torch.nn.functional as F
from jaxtyping import Float
from ops import heads, pack, unpack
from torch import Tensor


def self_attention(x: Float[Tensor, "b t d"], wq: Float[Tensor, "d d"], wk: Float[Tensor, "d d"], wv: Float[Tensor, "d d"], h: int) -> Float[Tensor, "b t d"]:
    qkv = pack(x @ wq, x @ wk, x @ wv)
    q, k, v = (heads(z, h) for z in unpack(qkv))
    out = F.scaled_dot_product_attention(q, k, v)
    return out.transpose(1, 2).flatten(2)  #! return out.transpose(1, 2).flatten(1, 2)  # E: shape


# run: self_attention(randn(2,3,8), randn(8,8), randn(8,8), randn(8,8), 2)
