import torch
from jaxtyping import Float
from torch import Tensor


def mahalanobis(x: Float[Tensor, "n d"], data: Float[Tensor, "m d"]) -> Float[Tensor, "n"]:
    mean = data.mean(0)
    centred = data - mean
    cov = centred.T @ centred / (data.shape[0] - 1)  #! cov = centred @ centred.T / (data.shape[0] - 1)
    delta = x - mean
    return ((delta @ torch.linalg.inv(cov)) * delta).sum(-1).sqrt()  # E: shape


# run: mahalanobis(randn(5, 3), randn(11, 3))
