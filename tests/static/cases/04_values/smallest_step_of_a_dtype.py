import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor


def spread(raw: Float[Tensor, "*batch 1"]) -> Float[Tensor, "*batch"]:
    smallest = torch.finfo(raw.dtype).eps
    return F.softplus(raw).clamp_min(smallest).squeeze(-1)  #! return F.softplus(raw).clamp_min(smallest)  # E: shape


# run: spread(randn(4, 5, 1))
