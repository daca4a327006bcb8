from typing import Final

import torch
from jaxtyping import Float
from torch import Tensor

LATENT: Final = 128


def sample_latent(mean: Float[Tensor, "b 128"]) -> Float[Tensor, "b 128"]:
    noise = torch.randn(mean.shape[0], LATENT)  #! noise = torch.randn(LATENT, mean.shape[0])
    return mean + noise  # E: shape


# run: sample_latent(randn(3, 128))
