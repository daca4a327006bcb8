import torch
from jaxtyping import Float
from torch import Tensor


def gram_per_sample(x: Float[Tensor, "b n d"]) -> Float[Tensor, "b n n"]:
    return torch.stack([sample @ sample.T for sample in x])  #! return torch.stack([sample.T @ sample for sample in x])  # E: shape


# run: gram_per_sample(randn(2, 3, 5))
