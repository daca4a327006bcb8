"""A list with a number for each frame, made by going through the frames."""

import torch
from jaxtyping import Float
from torch import Tensor


def energies(frames: Float[Tensor, "frames size"]) -> Float[Tensor, "frames"]:
    return torch.stack([f.square().sum() for f in frames])  #! return torch.stack([f.square().sum() for f in frames.T])  # E: shape


# run: energies(torch.rand(4, 6))
