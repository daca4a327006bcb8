"""Augmented assignment, chained assignment, slices, swaps, walrus, star targets, nested scopes."""
import torch
from jaxtyping import Float, Int
from torch import Tensor


class Acc:
    total = 0

    def __init__(self):
        self.parts, self.shape = [], ()

    def __iadd__(self, x):
        self.parts += [x]
        self.shape += (len(x),)
        Acc.total += 1
        return self

    def __lshift__(self, x):
        self += x
        return self


def scopes(n: int):
    x = torch.zeros(n)

    def inner():
        nonlocal x
        x = torch.cat([x, x])

        def deeper():
            nonlocal x
            x = x[None]
            return x

        return deeper

    deeper = inner()
    before = x
    deeper()
    return before, x


def loops(xs: Float[Tensor, "n d"]):
    best = prev = None
    out = xs[:0]
    for i, x in enumerate(xs):
        if prev is not None:
            out = torch.cat([out, (x - prev)[None]])
        if best is None or x.sum() > best.sum():
            best = x
        prev = x
    return out, best, i


def main():
    a = b = torch.zeros(3)
    a += 1
    a = a[None]
    c = b
    i, xs = 0, [torch.zeros(n) for n in range(5)]
    i, xs[i] = 2, torch.zeros(9)
    d, e = xs[0], xs[i]
    i, j = 1, 3
    xs[i], xs[j] = xs[j], xs[i]
    f = xs[1]
    xs[1:4] = [torch.zeros(7)] * 2
    g = torch.zeros(len(xs))
    h = xs[2]
    del xs[::2]
    k = xs[-1]
    (l, *m), n = [torch.zeros(1), torch.zeros(2), torch.zeros(3)], torch.zeros(4)
    o = torch.cat([l, *m, n])
    p = [y := torch.zeros(6), y[:2], y[2:]][1]
    q = y
    if (r := q[::2]).numel() == 3:
        s = r[:, None]
    else:
        s = r
    acc = Acc()
    acc += torch.zeros(2)
    acc += torch.zeros(3)
    (acc << torch.zeros(4)) << torch.zeros(5)
    t = torch.zeros(acc.shape)
    u = torch.zeros(Acc.total)
    v, w = scopes(3)
    x, best, last = loops(torch.randn(4, 2))
    squares = {n: torch.zeros(n, n) for n in range(1, 4)}
    squares |= {2: torch.zeros(2, 5)}
    aa = squares[2]
    n2 = 10
    comp = [n2 for n2 in range(3)]
    bb = torch.zeros(n2, len(comp))
    z = torch.zeros(4, 4)
    z[0] += z[:, 0]
    z[1:3, ::2] = 1
    z.T[0] = torch.arange(4)
    z @= torch.zeros(4, 4)
    cc = z
    dd = torch.zeros(2, 6)
    dd = dd.view(3, -1)
    dd @= torch.zeros(4, 4)
    ee = torch.ones(3)
    ff = ee
    ee = ee + torch.ones(2, 3)
    nums = [1, 2]
    same = nums
    nums += [3]
    gg = torch.zeros(same)
    nums = nums + [4]
    hh = torch.zeros(same)
    tup = (1, 2)
    old = tup
    tup += (3,)
    ii = torch.zeros(old)
    text = "ab"
    text *= 3
    jj = torch.zeros(len(text), text.count("a"))
    n3 = 7
    n3 //= 2
    n3 **= 2
    n3 -= 1
    n3 %= 5
    n3 <<= 2
    kk = torch.zeros(n3)
    return (a, c, d, e, f, g, h, k, o, p, q, s, t, u, v, w, x, best, aa, bb, cc, dd, ee, ff, gg, hh, ii, jj, kk, last)


# run: main()
