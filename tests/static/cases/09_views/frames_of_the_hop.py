import torch
from jaxtyping import Float
from torch import Tensor


def frames(signal: Float[Tensor, "batch samples"], size: int, hop: int) -> Float[Tensor, "batch frames {size}"]:
    return signal.unfold(1, size, hop)  #! return signal.unfold(1, hop, size)  # E: shape


def energies(signal: Float[Tensor, "batch samples"], size: int, hop: int) -> Float[Tensor, "batch frames"]:
    return frames(signal, size, hop).square().sum(-1)


# run: energies(randn(2, 20), 5, 3)
