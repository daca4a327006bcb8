import torch
from einops import einsum
from jaxtyping import Float
from torch import Tensor


def softmax(x: Float[Tensor, "..."], dim: int) -> Float[Tensor, "..."]:
    shifted = torch.exp(x - x.max(dim=dim, keepdim=True).values)
    return shifted / shifted.sum(dim=dim, keepdim=True)


def attend(
    q: Float[Tensor, "... queries d_k"], k: Float[Tensor, "... keys d_k"], v: Float[Tensor, "... keys d_v"]
) -> Float[Tensor, "... queries d_v"]:
    weights = softmax(einsum(q, k, "... queries d, ... keys d -> ... queries keys"), dim=-1)
    return einsum(weights, v, "... q k, ... k d -> ... q d")  #! return einsum(weights, v, "... q k, ... q d -> ... k d")  # E: shape


# run: attend(randn(2, 3, 5), randn(2, 7, 5), randn(2, 7, 4))
