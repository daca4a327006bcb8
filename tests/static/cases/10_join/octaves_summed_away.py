import torch
from jaxtyping import Float
from torch import Tensor


def encode(x: Float[Tensor, "*points d"], octaves: int) -> Float[Tensor, "*points features"]:
    parts = [x]
    for i in range(octaves):
        parts.append(torch.sin(x * 2**i))  #! parts.append(torch.sin(x * 2**i).sum(-1))
    return torch.cat(parts, dim=-1)  # E: shape


# run: encode(randn(4, 3), 2)
