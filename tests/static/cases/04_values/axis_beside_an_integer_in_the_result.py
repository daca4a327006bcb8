import math

import torch
from jaxtyping import Float, Int
from torch import Tensor


def timestep_embedding(t: Int[Tensor, "b"], dim: int) -> Float[Tensor, "b dim"]:
    freqs = torch.exp(-math.log(10000) * torch.arange(dim // 2) / (dim // 2))
    args = t[:, None].float() * freqs[None]  #! args = t.float() * freqs  # E: shape
    return torch.cat([args.cos(), args.sin()], dim=-1)


# run: timestep_embedding(randint(0, 9, (3,)), 8)
