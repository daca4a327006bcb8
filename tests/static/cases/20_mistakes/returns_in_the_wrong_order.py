import torch
from jaxtyping import Float
from torch import Tensor


def attention(
    q: Float[Tensor, "seq d"], k: Float[Tensor, "seq d"], v: Float[Tensor, "seq d"]
) -> tuple[Float[Tensor, "seq d"], Float[Tensor, "seq seq"]]:
    weights = torch.softmax(q @ k.T, dim=-1)
    return weights @ v, weights  #! return weights, weights @ v  # E: shape


# run: attention(randn(5, 3), randn(5, 3), randn(5, 3))
