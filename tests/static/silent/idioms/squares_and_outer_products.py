"""Two axes that are one size wherever the code is used, and products that promote."""

from typing import NamedTuple

import torch
from einops import einsum
from jaxtyping import Float
from torch import Tensor, nn


class WindowBias(nn.Module):
    def __init__(self, window: int, heads: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.zeros(heads, window * window, window * window))

    def forward(self, dots: Float[Tensor, "... h q k"]) -> Float[Tensor, "... h q k"]:
        return dots + self.table


class GridPositions(nn.Module):
    def __init__(self, size: int, channels: int) -> None:
        super().__init__()
        self.row = nn.Parameter(torch.zeros(channels, size, 1))
        self.column = nn.Parameter(torch.zeros(channels, 1, size))

    def forward(self, x: Float[Tensor, "b c h w"]) -> Float[Tensor, "b c h w"]:
        x = x + self.row
        return x + self.column


def angles(length: int, frequencies: Float[Tensor, "half"]) -> Float[Tensor, "length half"]:
    return einsum(torch.arange(length), frequencies, "i, j -> i j")


class Frames(NamedTuple):
    turns: Float[Tensor, "residue 3 3"]
    origins: Float[Tensor, "residue 3"]


def local(frames: Frames, points: Float[Tensor, "n 3"]) -> Float[Tensor, "n n 3"]:
    return torch.einsum("fji,fpj->fpi", frames.turns, points - frames.origins[:, None])


def spread(frames: Frames, points: Float[Tensor, "n 3"], pairs: Float[Tensor, "n n"]) -> Float[Tensor, ""]:
    distances = (points - frames.origins[:, None]).norm(dim=-1)
    return (distances * pairs).sum()


# run: WindowBias(2, 3)(randn(5, 3, 4, 4)); GridPositions(4, 3)(randn(2, 3, 4, 4)); angles(5, randn(3))
# run: f = Frames(randn(4, 3, 3), randn(4, 3)); local(f, randn(4, 3)); spread(f, randn(4, 3), randn(4, 4))
