import torch
from jaxtyping import Float
from torch import Tensor


def energy(
    frames: Float[Tensor, "batch time freq"], window: Float[Tensor, "freq"]
) -> Float[Tensor, "batch time"]:
    weighted = frames * window
    per_frame = weighted.square().sum(-1)
    assert per_frame.ndim == 2 and window.dim() == 1  #! assert per_frame.ndim == 3 and window.dim() == 1  # E: shape
    return per_frame.clamp_min(1e-6).log()


# run: energy(randn(2, 5, 7), randn(7))
