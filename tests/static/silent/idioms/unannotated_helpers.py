"""Helpers nobody annotated, called with tensors that are."""

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

EPS = 1e-6


def exists(x):
    return x is not None


def default(val, d):
    return val if exists(val) else (d() if callable(d) else d)


def l2norm(t, dim=-1):
    return F.normalize(t, dim=dim)


def batched_index_select(values, indices):
    last = values.shape[-1]
    return values.gather(1, indices[:, :, None].expand(-1, -1, last))


def pad_to_multiple(tensor, multiple, dim=-2, value=0.0):
    length = tensor.shape[dim]
    if length % multiple == 0:
        return tensor
    remainder = multiple - length % multiple
    offset = (0,) * (-1 - dim) * 2
    return F.pad(tensor, (*offset, 0, remainder), value=value)


def chunks(seq, n):
    return [seq[i : i + n] for i in range(0, len(seq), n)]


def shift(t, amount, mask=None):
    if amount == 0:
        return t
    if exists(mask):
        t = t.masked_fill(~mask[..., None], 0.0)
    return F.pad(t, (0, 0, amount, -amount), value=0.0)


def to_tuple(x, n):
    if isinstance(x, (list, tuple)):
        assert len(x) == n
        return tuple(x)
    return (x,) * n


def divisible(a, b):
    return (a / b).is_integer()


def freeze(module):
    for p in module.parameters():
        p.requires_grad = False
    return module


def select_neighbours(
    x: Float[Tensor, "b n d"], index: Int[Tensor, "b k"]
) -> Float[Tensor, "b k d"]:
    return batched_index_select(x, index)


def windowed(x: Float[Tensor, "b n d"], window: int) -> Float[Tensor, "b w {window} d"]:
    x = pad_to_multiple(x, window)
    b, n, d = x.shape
    return x.reshape(b, n // window, window, d)


class TokenShift(nn.Module):
    def __init__(self, fn, shifts=(0, 1)):
        super().__init__()
        self.fn = fn
        self.shifts = tuple(shifts)

    def forward(self, x: Float[Tensor, "b n d"], **kwargs) -> Float[Tensor, "b n d"]:
        mask = kwargs.get("mask", None)
        segments = len(self.shifts)
        feats_per_shift = x.shape[-1] // segments
        splitted = x.split(feats_per_shift, dim=-1)
        to_shift, rest = splitted[:segments], splitted[segments:]
        to_shift = list(map(lambda args: shift(*args, mask=mask), zip(to_shift, self.shifts)))
        x = torch.cat((*to_shift, *rest), dim=-1)
        return self.fn(x)


class Similarity(nn.Module):
    def __init__(self, dim: int, scale: float | None = None):
        super().__init__()
        self.scale = default(scale, lambda: dim**-0.5)
        self.proj = freeze(nn.Linear(dim, dim))

    def forward(self, a: Float[Tensor, "n dim"], b: Float[Tensor, "m dim"]) -> Float[Tensor, "n m"]:
        return l2norm(self.proj(a)) @ l2norm(b).t() * self.scale


def summarise(items, fn=torch.mean):
    return {name: fn(value) for name, value in items}


def stats(x: Float[Tensor, "n d"], y: Float[Tensor, "k"]) -> dict[str, Float[Tensor, ""]]:
    return summarise([("x", x), ("y", y)])


# run: select_neighbours(randn(2, 5, 3), randint(0, 5, (2, 4))); windowed(randn(2, 7, 3), 4); TokenShift(nn.Linear(7, 7), (0, 1, 2))(randn(2, 5, 7), mask=randn(2, 5) > 0)
# run: Similarity(5)(randn(3, 5), randn(7, 5)); stats(randn(3, 5), randn(7)); chunks([1, 2, 3], 2); to_tuple(3, 2); divisible(6, 3)
