import torch
import torch as th
from jaxtyping import Float


def mean_vector(x: Float[torch.Tensor, "n d"]) -> Float[th.Tensor, "d"]:
    return x.mean(dim=0)  #! return x.mean(dim=1)  # E: shape


# run: mean_vector(randn(3, 5))
