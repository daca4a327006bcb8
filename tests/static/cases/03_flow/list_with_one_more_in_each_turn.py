import torch
from jaxtyping import Float
from torch import Tensor


def residual_streams(x: Float[Tensor, "b d"], weights: Float[Tensor, "layers d d"]) -> Float[Tensor, "layers b d"]:
    seen = []
    for w in weights:
        x = x + x @ w
        seen = [*seen, x]
    return torch.stack(seen)  #! return torch.cat(seen)  # E: shape


def latest_first(xs: Float[Tensor, "t d"]) -> Float[Tensor, "t d"]:
    kept: list[Tensor] = []
    for x in xs:
        kept += [x]
    return torch.stack(kept[::-1])  #! return torch.stack(kept[::-1], dim=1)  # E: shape


# run: residual_streams(randn(2, 3), randn(5, 3, 3)), latest_first(randn(4, 3))
