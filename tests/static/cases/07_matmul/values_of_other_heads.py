import torch
from jaxtyping import Float
from torch import Tensor


def attend(
    q: Float[Tensor, "b queries d_k"],
    k: Float[Tensor, "b keys d_k"],
    v: Float[Tensor, "b values d_v"],
) -> Float[Tensor, "b queries d_v"]:
    weights = torch.softmax(q @ k.mT, -1)
    return weights @ v  #! return weights @ v.mT  # E: shape


# run: attend(randn(2, 3, 4), randn(2, 5, 4), randn(2, 5, 6))
