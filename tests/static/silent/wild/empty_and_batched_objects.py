"""Results for no rows at all, asked for in several ways; objects whose ``*b`` is more than the function's."""

import torch
from jaxtyping import Float
from torch import Tensor


def boxes(masks: Float[Tensor, "n h w"]) -> Float[Tensor, "n 4"]:
    if masks.numel() == 0:
        return torch.zeros((0, 4))
    rows, columns = masks.amax(2), masks.amax(1)
    ends = [rows.argmax(1), columns.argmax(1), rows.flip(1).argmax(1), columns.flip(1).argmax(1)]
    return torch.stack(ends, 1).float()


def few(x: Float[Tensor, "n 4"]) -> Float[Tensor, "n 5"]:
    if x.shape[0] < 1:
        return x.new_zeros((0, 5))
    return torch.cat([x, x[:, :1]], 1)


def none(x: Float[Tensor, "n 4"]) -> Float[Tensor, "n 5"]:
    if not len(x):
        return x.new_zeros((0, 5))
    count = x.numel()
    if count == 0:
        return x.new_zeros((0, 5))
    return torch.cat([x, x[:, :1]], 1)


def some(x: Float[Tensor, "n 4"]) -> Float[Tensor, "n 5"]:
    if x.numel() > 0:
        return torch.cat([x, x[:, :1]], 1)
    return x.new_zeros((0, 5))


def lagged(x: Float[Tensor, "n d"], lag: int) -> Float[Tensor, "m d"]:
    if lag > 0:
        return x[lag:] - x[:-lag]
    return x[:lag] - x[-lag:]


class Rotation:
    def __init__(self, rots: Float[Tensor, "*b 3 3"]) -> None:
        self.rots = rots


def to_global(p: Float[Tensor, "*b N P 3"], r: Rotation) -> Float[Tensor, "*b N P 3"]:
    return torch.einsum("...ij,...j->...i", r.rots[..., None, :, :], p)


def trace(p: Float[Tensor, "*b N"], r: Rotation) -> Float[Tensor, "*b N"]:
    return p * r.rots.diagonal(dim1=-2, dim2=-1).sum(-1)


# run: boxes(randn(2, 3, 5))
# run: boxes(torch.zeros(0, 3, 5))
# run: few(randn(2, 4)), few(randn(0, 4)), none(randn(2, 4)), none(randn(0, 4)), some(randn(0, 4))
# run: lagged(randn(5, 2), 2), lagged(randn(5, 2), -2)
# run: to_global(randn(2, 5, 7, 3), Rotation(randn(2, 5, 3, 3)))
# run: trace(randn(2, 5), Rotation(randn(2, 5, 3, 3)))
