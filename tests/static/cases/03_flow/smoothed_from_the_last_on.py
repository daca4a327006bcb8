import torch
from jaxtyping import Float
from torch import Tensor


def smoothed(
    means: Float[Tensor, "batch time state"], gain: Float[Tensor, "state state"]
) -> Float[Tensor, "batch time state"]:
    mean = means[:, -1]
    found = [mean]
    for t in range(means.shape[1] - 2, -1, -1):
        mean = means[:, t] + mean @ gain
        found.insert(0, mean)
    return torch.stack(found, dim=1)  #! return torch.stack(found, dim=2)  # E: shape


# run: smoothed(randn(2, 5, 3), randn(3, 3))
