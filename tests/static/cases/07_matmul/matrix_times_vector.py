import torch
from jaxtyping import Float
from torch import Tensor


def predict(x: Float[Tensor, "n d"], w: Float[Tensor, "d"], b: Float[Tensor, ""]) -> Float[Tensor, "n"]:
    return torch.mv(x, w) + b  #! return torch.mv(x.T, w) + b  # E: shape


# run: predict(randn(3, 5), randn(5), randn(()))
