import torch
from jaxtyping import Float
from torch import Tensor


def attend(
    q: Float[Tensor, "b n h d"], k: Float[Tensor, "b m h d"], v: Float[Tensor, "b m h d"]
) -> Float[Tensor, "b n h d"]:
    scores = torch.einsum("bnhd,bmhd->bhnm", q, k)
    weights = torch.softmax(scores, dim=-1)
    return torch.einsum("bhnm,bmhd->bnhd", weights, v)  #! return torch.einsum("bhnm,bnhd->bmhd", weights, v)  # E: shape


# run: attend(randn(2, 3, 5, 7), randn(2, 11, 5, 7), randn(2, 11, 5, 7))
