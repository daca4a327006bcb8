import torch
from jaxtyping import Float
from torch import Tensor


def attend(
    q: Float[Tensor, "b q d"], k: Float[Tensor, "b k d"], v: Float[Tensor, "b k e"]
) -> Float[Tensor, "b q e"]:
    weights = torch.softmax(q @ k.mT, dim=-1)
    return weights @ v


def cross_attend(
    x: Float[Tensor, "b n d"], memory: Float[Tensor, "b m d"]
) -> Float[Tensor, "b n d"]:
    return attend(x, memory, memory)  #! return attend(memory, x, memory)  # E: shape


# run: cross_attend(randn(2, 3, 5), randn(2, 7, 5))
