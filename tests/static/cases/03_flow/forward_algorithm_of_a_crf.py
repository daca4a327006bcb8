import torch
from jaxtyping import Float
from torch import Tensor


def log_partition(emissions: Float[Tensor, "b t k"], transitions: Float[Tensor, "k k"]) -> Float[Tensor, "b"]:
    alpha = emissions[:, 0]
    for i in range(1, emissions.shape[1]):
        step = emissions[:, i][:, None, :]  #! step = emissions[:, i]
        alpha = (alpha[:, :, None] + transitions[None] + step).logsumexp(1)  # E: shape
    return alpha.logsumexp(-1)


# run: log_partition(randn(2, 5, 3), randn(3, 3))
