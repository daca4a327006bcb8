import torch
from jaxtyping import Float, Int
from torch import Tensor


def any_nan(x: Float[Tensor, "b d"]) -> bool:
    if x.isnan().any():  #! if x.isnan():  # E: shape
        return True
    return False


def clip(x: Float[Tensor, "b d"], limit: float) -> Float[Tensor, "b d"]:
    norm = x.norm(dim=-1, keepdim=True)
    return x if any_nan(x) else x * (limit / norm).clamp(max=1)


# run: clip(randn(2, 3), 1.0)
