import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor


def time_embedding(t: Int[Tensor, "batch"], dim: int) -> Float[Tensor, "batch {dim}"]:
    half = dim // 2  #! half = dim
    angles = t[:, None].float() * torch.arange(half).float()[None, :]
    embedding = torch.cat([angles.cos(), angles.sin()], dim=-1)
    if dim % 2:
        embedding = F.pad(embedding, (0, 1))
    return embedding  # E: shape


# run: time_embedding(randint(0, 9, (3,)), 8)
# run: time_embedding(randint(0, 9, (3,)), 7)
