import torch
from einops import repeat
from jaxtyping import Float
from torch import Tensor


def pad(x: Float[Tensor, "*batch variates time"], amount: int) -> Float[Tensor, "*batch variates padded"]:
    if x.ndim == 2:
        edge = repeat(x[..., 0], "v -> v n", n=amount)
        x = torch.cat([edge, x], dim=1)
    elif x.ndim == 3:
        edge = repeat(x[..., 0], "b v -> b v n", n=amount)
        x = torch.cat([edge, x], dim=2)  #! x = torch.stack([edge, edge], dim=2)
    else:
        raise ValueError(f"{x.ndim} axes")
    return x  #! return x  # E: shape


# run: pad(randn(3, 5), 2), pad(randn(2, 3, 5), 2)
