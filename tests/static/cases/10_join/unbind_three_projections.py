import torch
from jaxtyping import Float
from torch import Tensor


def attention(qkv: Float[Tensor, "b s 3 h d"]) -> Float[Tensor, "b s h d"]:
    q, k, v = qkv.unbind(2)  #! q, k, v, _ = qkv.unbind(2)  # E: shape
    weights = torch.einsum("bshd,bthd->bhst", q, k).softmax(-1)
    return torch.einsum("bhst,bthd->bshd", weights, v)


# run: attention(randn(2, 3, 3, 5, 7))
