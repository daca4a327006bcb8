"""Axes padded up to a multiple of a window and cut back, with and without asking whether they had to be."""

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn


class Windows(nn.Module):
    def __init__(self, dim: int, window: int, shift: int) -> None:
        super().__init__()
        self.window, self.shift = window, shift
        self.proj = nn.Linear(dim, dim)

    def forward(self, x: Float[Tensor, "b h w c"]) -> Float[Tensor, "b h w c"]:
        b, h, w, c = x.shape
        right = (self.window - w % self.window) % self.window
        below = (self.window - h % self.window) % self.window
        x = F.pad(x, (0, 0, 0, right, 0, below))
        _, high, wide, _ = x.shape
        n = self.window
        if self.shift > 0:
            x = torch.roll(x, (-self.shift, -self.shift), (1, 2))
        x = x.view(b, high // n, n, wide // n, n, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, n * n, c)
        x = self.proj(x)
        x = x.view(b, high // n, wide // n, n, n, c).permute(0, 1, 3, 2, 4, 5).reshape(b, high, wide, c)
        if self.shift > 0:
            x = torch.roll(x, (self.shift, self.shift), (1, 2))
        if right > 0 or below > 0:
            x = x[:, :h, :w].contiguous()
        return x


def always_cut(x: Float[Tensor, "b t d"], size: int) -> Float[Tensor, "b t d"]:
    b, t, d = x.shape
    y = F.pad(x, (0, 0, 0, -t % size)).view(b, -1, size, d)
    return x + ((y @ y.mT).softmax(-1) @ y).flatten(1, 2)[:, :t]


def cut_where_it_was_padded(x: Float[Tensor, "b t d"], size: int) -> Float[Tensor, "b t d"]:
    pad = -x.shape[1] % size
    x = F.pad(x, (0, 0, 0, pad))
    if pad > 0:
        return x[:, :-pad]
    return x


def cut_by_a_flag(x: Float[Tensor, "b t d"], size: int) -> Float[Tensor, "b t d"]:
    t = x.shape[1]
    x = F.pad(x, (0, 0, 0, (size - t % size) % size))
    was_padded = t % size != 0
    if was_padded:
        return x[:, :t]
    return x


def asserted(x: Float[Tensor, "b t d"], size: int) -> Float[Tensor, "b t d"]:
    t = x.shape[1]
    x = F.pad(x, (0, 0, 0, -t % size))
    assert x.shape[1] == t, "a multiple of the window"
    return x


def with_its_length(x: Float[Tensor, "b t d"], size: int) -> tuple[Float[Tensor, "b padded d"], int]:
    pad = -x.shape[1] % size
    return F.pad(x, (0, 0, 0, pad)), pad


def elsewhere(x: Float[Tensor, "b t d"], size: int) -> Float[Tensor, "b t d"]:
    y, pad = with_its_length(x, size)
    if not pad:
        return y
    return y[:, :-pad]


def only_where_it_must(x: Float[Tensor, "b t d"], size: int) -> Float[Tensor, "b t d"]:
    b, t, d = x.shape
    if t % size != 0:
        x = F.pad(x, (0, 0, 0, size - t % size))
    y = x.view(b, -1, size, d).flip(2)
    return y.flatten(1, 2)[:, :t]


def folded(x: Float[Tensor, "b t d"], size: int) -> Float[Tensor, "b n d"]:
    b, t, d = x.shape
    if t % size:
        return F.pad(x, (0, 0, 0, -t % size)).view(b, -1, size, d).mean(2)
    return x.view(b, t // size, size, d).mean(2)


# run: Windows(4, 3, 1)(torch.rand(2, 5, 7, 4)); Windows(4, 3, 0)(torch.rand(2, 6, 6, 4))
# run: [f(torch.rand(2, n, 4), 3) for f in (always_cut, cut_where_it_was_padded, cut_by_a_flag) for n in (6, 7)]
# run: asserted(torch.rand(2, 6, 4), 3); elsewhere(torch.rand(2, 7, 4), 3); elsewhere(torch.rand(2, 6, 4), 3)
# run: only_where_it_must(torch.rand(2, 7, 4), 3); folded(torch.rand(2, 7, 4), 3); folded(torch.rand(2, 6, 4), 3)
