import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

def repeat_kv(x: Float[Tensor, "b kv s d"], n_rep: int) -> Float[Tensor, "b h s d"]:
    b, kv, s, d = x.shape
    if n_rep == 1:
        return x
    return x[:, :, None].expand(b, kv, n_rep, s, d).reshape(b, kv * n_rep, s, d)  #! return x[:, :, None].expand(b, n_rep, kv, s, d).reshape(b, kv * n_rep, s, d)  # E: shape

def gqa(q: Float[Tensor, "b h s d"], k: Float[Tensor, "b kv s d"], v: Float[Tensor, "b kv s d"]) -> Float[Tensor, "b h s d"]:
    n_rep = q.shape[1] // k.shape[1]
    k, v = repeat_kv(k, n_rep), repeat_kv(v, n_rep)
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


# run: gqa(randn(2, 8, 5, 4), randn(2, 2, 5, 4), randn(2, 2, 5, 4))
