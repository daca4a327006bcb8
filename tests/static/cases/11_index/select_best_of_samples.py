import torch
from jaxtyping import Float
from torch import Tensor


def best_of(samples: Float[Tensor, "b k d"], reward: Float[Tensor, "b k"]) -> Float[Tensor, "b d"]:
    index = reward.argmax(dim=1)
    return samples[torch.arange(samples.shape[0]), index]  #! return samples[:, index]  # E: shape


# run: best_of(randn(3, 5, 7), randn(3, 5))
