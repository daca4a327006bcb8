"""Slices whose bounds may count from either end, and those that say how long they are."""

import torch
from jaxtyping import Float
from torch import Tensor, nn


def corner(scores: Float[Tensor, "b n n"], w: int) -> Float[Tensor, "b _ _"]:
    """``1 - w`` counts from the end: w - 1 rows, whatever n is."""
    n = scores.shape[1]
    band = scores.new_zeros((scores.shape[0], n, 2 * w + 1))
    band[:, 1:w, 1:w] = scores[:, : w - 1, 1 - w :]
    return band


def delayed(x: Float[Tensor, "b t"], lag: int) -> Float[Tensor, "b t"]:
    """A lag of either sign."""
    shifted = torch.zeros_like(x)
    if lag > 0:
        shifted[:, lag:] = x[:, : x.shape[1] - lag]
    else:
        shifted[:, : x.shape[1] + lag] = x[:, -lag:]
    return shifted


class Ring(nn.Module):
    """Keeps the newest entries: how many more came than fit may be negative."""

    def __init__(self, size: int, dim: int) -> None:
        super().__init__()
        self.size = size
        self.register_buffer("kept", torch.zeros(0, dim))

    def push(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "m d"]:
        joined = torch.cat([self.kept, x])
        self.kept = joined[max(0, len(joined) - self.size) :]
        return self.kept


def windows(x: Float[Tensor, "b t"], w: int) -> Float[Tensor, "b k {w}"]:
    return torch.stack([x[:, i - w : i] for i in range(w, x.shape[1] + 1)], dim=1)


def last(x: Float[Tensor, "b t d"], k: int) -> Float[Tensor, "b {k} d"]:
    return x[:, x.shape[1] - k :]


def tail(x: Float[Tensor, "b t d"], k: int) -> Float[Tensor, "b {k} d"]:
    return x[:, -k:]


def without_last(x: Float[Tensor, "b t"]) -> Float[Tensor, "b t-1"]:
    return x[:, : x.shape[1] - 1]


# run: corner(randn(2, 6, 6), 3)
# run: delayed(randn(2, 7), 3); delayed(randn(2, 7), -3)
# run: ring = Ring(4, 3); ring.push(randn(3, 3)); assert ring.push(randn(5, 3)).shape == (4, 3)
# run: windows(randn(2, 7), 3)
# run: last(randn(2, 7, 3), 4); tail(randn(2, 7, 3), 4); without_last(randn(2, 7))
