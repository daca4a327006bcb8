import torch
from jaxtyping import Float
from torch import Tensor


def cls_first(tokens: Float[Tensor, "b n d"], cls: Float[Tensor, "1 1 d"]) -> Float[Tensor, "b n+1 d"]:
    b = tokens.size(0)
    return torch.cat((cls.expand(b, -1, -1), tokens), dim=1)  #! return torch.cat((cls, tokens), dim=1)  # E: shape


# run: cls_first(randn(2, 3, 5), randn(1, 1, 5))
