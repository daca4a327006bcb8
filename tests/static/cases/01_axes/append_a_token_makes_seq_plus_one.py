import torch
from jaxtyping import Float
from torch import Tensor


def prepend_cls(
    x: Float[Tensor, "batch seq dim"], cls: Float[Tensor, "dim"]
) -> Float[Tensor, "batch seq+1 dim"]:
    token = cls.expand(x.shape[0], 1, -1)
    return torch.cat([token, x], dim=1)  #! return torch.cat([token, x, token], dim=1)  # E: shape


# run: prepend_cls(randn(2, 5, 7), randn(7))
