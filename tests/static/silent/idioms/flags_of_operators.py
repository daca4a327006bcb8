"""Flags handed on to operators: what comes out has another rank, order, length or dtype for either value."""

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn


def pooled(x: Float[Tensor, "b n d"], keep: bool = False) -> Tensor:
    y = x.mean(1, keepdim=keep)
    if not keep:
        assert y.ndim == 2
        return y[:, None]
    return y


def peaks(x: Float[Tensor, "b n d"], keep) -> Float[Tensor, "b d"]:
    y = x.amax(1, keep)
    if keep:
        return y.squeeze(1)
    b, d = y.shape
    return y


class Encoder(nn.Module):
    def __init__(self, d: int, batch_first: bool = True, both: bool = False) -> None:
        super().__init__()
        self.rnn = nn.GRU(d, d, batch_first=batch_first, bidirectional=both)
        self.attend = nn.MultiheadAttention(d, 1, batch_first=batch_first)
        self.batch_first, self.both = batch_first, both

    def forward(self, x: Float[Tensor, "b t d"]) -> Float[Tensor, "b t d"]:
        if not self.batch_first:
            x = x.transpose(0, 1)
        y, h = self.rnn(x)
        if self.both:
            left, right = y.chunk(2, -1)
            y = left + right
        z = y + x + h[-1:] if not self.batch_first else y + x + h[-1][:, None]
        z, _ = self.attend(z, z, z)
        return z if self.batch_first else z.mT.permute(2, 0, 1)


def pool(x: Float[Tensor, "b c 7"], ceil: bool, indices: bool) -> Tensor:
    y = F.max_pool1d(x, 2, ceil_mode=ceil, return_indices=indices)
    if indices:
        y, where = y
    if ceil:
        return y + torch.zeros(4)
    return y + torch.zeros(3)


def singular(x: Float[Tensor, "n d"], full: bool) -> Tensor:
    u, s, v = torch.linalg.svd(x, full_matrices=full)
    if full:
        return u @ torch.zeros(u.shape[0], v.shape[0]) @ v
    return u @ torch.diag(s) @ v


def nearest(x: Float[Tensor, "n"], edges: Float[Tensor, "k"], small: bool) -> Tensor:
    found = torch.bucketize(x, edges, out_int32=small)
    where = torch.nonzero(found, as_tuple=small)
    return where[0] if small else where[:, 0]


def main():
    x = torch.randn(2, 3, 4)
    a, b = pooled(x), pooled(x, keep=True)
    c, d = peaks(x, True), peaks(x, False)
    e = Encoder(4)(x)
    f = Encoder(4, batch_first=False, both=True)(x)
    g = [pool(torch.randn(2, 3, 7), ceil, indices) for ceil in (True, False) for indices in (True, False)]
    h = singular(torch.randn(5, 3), True) - singular(torch.randn(5, 3), False)
    i = nearest(torch.rand(6), torch.rand(3), True) + 0 * nearest(torch.rand(6) + 2, torch.rand(3), False)[:1]
    return a, b, c, d, e, f, g[0], h, i


# run: main()
