"""One tensor several times in a list, iterators read twice, caches whose results are changed in place."""
import itertools
from collections import deque
from functools import cache, lru_cache, reduce

import torch
from jaxtyping import Float
from torch import Tensor


@lru_cache
def base(n: int) -> Tensor:
    return torch.zeros(n, 2)


@cache
def layers(n: int) -> list[Tensor]:
    return [torch.zeros(n)]


@lru_cache(maxsize=1)
def table() -> dict[str, list[Tensor]]:
    return {"a": [], "b": [torch.zeros(3)]}


class Once:
    def __init__(self, xs):
        self.xs = iter(xs)

    def take(self, n: int) -> list[Tensor]:
        return list(itertools.islice(self.xs, n))

    def rest(self) -> list[Tensor]:
        return [x for x in self.xs]


def gen(n: int):
    for i in range(n):
        yield torch.zeros(i + 1)


def widths(xs) -> tuple[int, int]:
    return sum(len(x) for x in xs), sum(1 for _ in xs)


def main():
    x = torch.zeros(3)
    xs = [x, x, torch.zeros(2)]
    for t in xs:
        t.unsqueeze_(0)
    a, b, c = xs
    d = x
    y = torch.zeros(2, 3)
    for t in [y, y]:
        t.t_()
    e = y
    for t in (y, y, y):
        t.t_()
    f = y
    base(4).t_()
    g = base(4)
    base(4).resize_(3, 3)
    h = base(4)
    layers(2).append(torch.zeros(5))
    i = torch.cat(layers(2))
    table()["a"].append(torch.zeros(7))
    j = table()["a"][0]
    k = torch.cat(sum(table().values(), []))
    it = gen(4)
    first = torch.cat(list(it))
    second = list(it)
    o = Once(gen(5))
    l = torch.cat(o.take(2))
    m = torch.cat(o.rest())
    n = o.rest()
    total, count = widths(gen(3))
    p = torch.zeros(total, count + 1)
    z = zip(gen(3), gen(3))
    q = torch.cat([u for u, _ in z])
    r = [u for u, _ in z]
    s = map(torch.Tensor.numel, gen(4))
    mx = max(s)
    left = sum(s)
    t2 = torch.zeros(mx, left + 1)
    it2 = iter([torch.zeros(1), torch.zeros(2), torch.zeros(3)])
    for u in it2:
        if len(u) == 2:
            break
    v = next(it2)
    w = next(it2, torch.zeros(9))
    both = [iter(range(6))] * 3
    aa = torch.tensor(list(zip(*both)))
    ds = deque(gen(4), maxlen=2)
    bb = torch.cat(tuple(ds))
    rows = [[torch.zeros(2)] * 2] * 3
    rows[0][0] = torch.zeros(5)
    cc = rows[2][0]
    rows[1][1].unsqueeze_(0)
    dd = rows[2][1]
    acc = reduce(lambda p, q: p + [torch.cat([p[-1], q])], gen(3), [torch.zeros(0)])
    ee = acc[-1]
    return a, b, c, d, e, f, g, h, i, j, k, first, second, l, m, n, p, q, r, t2, v, w, aa, bb, cc, dd, ee


# run: main()
