import torch
from jaxtyping import Float
from torch import Tensor


def positions(x: Float[Tensor, "b s d"]) -> Float[Tensor, "b s 1"]:
    b, s, _ = x.size()
    p = torch.arange(s, dtype=torch.float32)
    return p.view(1, s, 1).expand(b, s, 1)  #! return p.view(1, s, 1).expand(b, s, s)  # E: shape


# run: positions(randn(2, 3, 5))
