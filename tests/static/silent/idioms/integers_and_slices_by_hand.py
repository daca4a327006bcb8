"""Integer arithmetic on shapes: ceilings, modulo, bit tricks, negative steps, slices by hand, string formatting."""
from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Sequence

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor


def ceil_div(a: int, b: int) -> int:
    return -(-a // b)


def round_up(n: int, m: int) -> int:
    return n + (-n) % m


def next_pow2(n: int) -> int:
    return 1 if n == 0 else 2 ** (n - 1).bit_length()


def pad_to(x: Float[Tensor, "b t d"], multiple: int) -> tuple[Float[Tensor, "b t2 d"], int]:
    extra = (-x.shape[1]) % multiple
    return F.pad(x, (0, 0, 0, extra)), extra


def blocks(x: Float[Tensor, "b t d"], size: int) -> Float[Tensor, "b n size d"]:
    x, _ = pad_to(x, size)
    return x.unflatten(1, (-1, size))


def unblocks(x: Float[Tensor, "b n s d"], t: int) -> Float[Tensor, "b t d"]:
    return x.flatten(1, 2)[:, :t]


def skew(x: Float[Tensor, "b h t r"]) -> Float[Tensor, "b h t t"]:
    b, h, t, r = x.shape
    x = F.pad(x, (1, 0)).view(b, h, r + 1, t)
    return x[:, :, 1:].reshape(b, h, t, r)[..., : t]


def halves(n: int) -> list[int]:
    out = []
    while n:
        out.append(n - n // 2)
        n //= 2
    return out


def conv_out(n: int, k: int, s: int = 1, p: int = 0, d: int = 1) -> int:
    return math.floor((n + 2 * p - d * (k - 1) - 1) / s + 1)


def balanced(n: int, parts: int) -> list[int]:
    q, r = divmod(n, parts)
    return [q + (i < r) for i in range(parts)]


def parse(spec: str) -> tuple[int, ...]:
    return tuple(int(m) for m in re.findall(r"\d+", spec))


def window(i: int, width: int, total: int) -> slice:
    lo = max(0, min(i - width // 2, total - width))
    return slice(lo, lo + width)


def strided(x: Tensor, *, start: int | None = None, stop: int | None = None, step: int = 1, dim: int = -1) -> Tensor:
    s = slice(start, stop, step)
    n = len(range(*s.indices(x.shape[dim])))
    index = [slice(None)] * x.ndim
    index[dim] = s
    out = x[tuple(index)]
    assert out.shape[dim] == n
    return out


def check(x: Tensor, want: str) -> Tensor:
    got = "x".join(map(str, x.shape))
    if got != want:
        raise ValueError(f"{got} is not {want}")
    return x


def main() -> None:
    x = torch.randn(2, 13, 4)
    y, extra = pad_to(x, 5)
    assert y.shape == (2, 15, 4) and extra == 2
    b = blocks(x, 4)
    z = unblocks(b, 13)
    assert b.shape == (2, 4, 4, 4) and z.shape == x.shape and ceil_div(13, 4) == 4
    s = skew(torch.randn(1, 2, 6, 6))
    assert s.shape == (1, 2, 6, 6)
    p = torch.zeros(next_pow2(13), round_up(13, 8))
    assert p.shape == (16, 16)
    parts = x.split(balanced(13, 3), dim=1)
    assert [q.shape[1] for q in parts] == [5, 4, 4]
    first, *_, last = parts
    assert first.shape == (2, 5, 4) and last.shape == (2, 4, 4)
    tree = torch.randn(10).split(halves(10))
    assert [len(t) for t in tree] == [5, 3, 1, 1]
    img = torch.randn(1, 3, 29, 31)
    c = F.conv2d(img, torch.randn(8, 3, 3, 5), stride=(2, 3), padding=(1, 0), dilation=(2, 1))
    assert c.shape == (1, 8, conv_out(29, 3, 2, 1, 2), conv_out(31, 5, 3)) == (1, 8, 14, 9)
    shape = parse("3x(4, 5)")
    t = torch.zeros(shape)
    u = torch.zeros(shape[::-1])
    w = torch.zeros(*shape[1:], shape[0])
    assert t.shape == (3, 4, 5) and u.shape == (5, 4, 3) and w.shape == (4, 5, 3)
    a = strided(x, start=1, stop=-1, step=3, dim=1)
    e = strided(x, start=-3)
    f = strided(x, stop=100, step=2, dim=0)
    assert a.shape == (2, 4, 4) and e.shape == (2, 13, 3) and f.shape == (1, 13, 4)
    rev = x.flip(1)[:, ::3]
    g = np.arange(24).reshape(2, 3, 4)[::-1, ..., ::-2]
    h = torch.from_numpy(g.copy())
    assert rev.shape == (2, 5, 4) and h.shape == (2, 3, 2)
    ratio = Fraction(3, 4)
    k = x[:, : int(13 * ratio)]
    m = x[:, round(13 * 0.25) : math.ceil(13 * 0.75)]
    n = x[:, : int(0.1 * x.shape[1]) or 1]
    assert k.shape[1] == 9 and m.shape[1] == 7 and n.shape[1] == 1
    wins = torch.stack([x[:, window(i, 5, 13)] for i in range(0, 13, 6)])
    assert wins.shape == (3, 2, 5, 4)
    idx = (..., None, slice(None, None, 2))
    o = x[idx]
    assert o.shape == (2, 13, 1, 2)
    v = check(x, f"{x.shape[0]}x{13}x{4}")
    side = math.isqrt(x[0, :, 0].numel() + 3)
    sq = F.pad(x, (0, 0, 0, 3)).view(2, side, side, 4)
    assert sq.shape == (2, 4, 4, 4) and v.shape == x.shape
    grid = torch.arange(6).view(2, 3)
    lin = torch.tensor(np.ravel_multi_index((np.array([0, 1]), np.array([2, 1])), (2, 3)))
    picked = grid.view(-1)[lin]
    q, r = torch.arange(7) // 3, torch.arange(7) % 3
    true = 7 // 2 * 2 == 6 and -7 // 2 == -4 and -7 % 3 == 2 and int(-3.5) == -3
    dims = torch.zeros(abs(-7 // 2), -7 % 3 + True)
    assert picked.shape == (2,) and q.shape == r.shape == (7,) and dims.shape == (4, 3) and true


# run: main()
