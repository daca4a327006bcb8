"""Two items of a list whose items are not known one by one are of two sizes, whichever way they are taken."""

import torch


def mk(sizes: list[int]):
    return torch.zeros(sum(sizes), 4).split(sizes)


def f(sizes: list[int]):
    xs = torch.zeros(10, 4).split(sizes)
    a, b = xs[0], xs[1]
    del xs
    assert a.shape == (5, 4)
    assert b.shape == (3, 4)


def g(sizes: list[int]):
    xs = torch.zeros(10, 4).split(sizes)
    a, b = xs[0], xs[1]
    xs = []
    if a.shape[0] == 5:
        assert b.shape == (3, 4)


def k(sizes: list[int]):
    a, b, c = torch.zeros(10, 4).split(sizes)
    assert a.shape == (5, 4)
    assert b.shape == (3, 4)


def k2(sizes: list[int]):
    a, *b = torch.zeros(10, 4).split(sizes)
    c = b.pop()
    b = None
    assert a.shape == (5, 4)
    assert c.shape == (2, 4)


def p(sizes: list[int]):
    it = iter(torch.zeros(10, 4).split(sizes))
    a = next(it)
    b = next(it)
    it = None
    assert a.shape == (5, 4)
    assert b.shape == (3, 4)


def p2(sizes: list[int]):
    it = list(torch.zeros(10, 4).split(sizes))
    a = it.pop(0)
    b = it.pop(0)
    it = None
    assert a.shape == (5, 4)
    assert b.shape == (3, 4)


def q(sizes: list[int]):
    d = {k: torch.zeros(n, 2) for k, n in zip("abc", sizes)}
    a = d["a"]
    b = d["b"]
    d = 0
    assert a.shape == (5, 2)
    assert b.shape == (3, 2)


def q2(sizes: list[int]):
    d = {k: torch.zeros(n, 2) for k, n in zip("abc", sizes)}
    a = d.get("a")
    b = d.pop("b")
    d = 0
    assert a is not None and a.shape == (5, 2)
    assert b.shape == (3, 2)


def r(sizes: list[int]):
    d = [torch.zeros(n, 2) for n in sizes]
    a, b = d[0], d[1]
    d = [torch.zeros(n, 2) for n in sizes]
    assert a.shape == (5, 2)
    assert b.shape == (3, 2)


def s(sizes: list[int]):
    xs = torch.zeros(10, 4).split(sizes)
    for a, b in zip(xs, xs[1:]):
        assert a.shape[0] > b.shape[0]
        c = torch.cat([a, b])
        if a.shape[0] == 5:
            assert b.shape == (3, 4)
            assert c.shape[0] == 8
    a, b = max(xs, key=len), min(xs, key=len)
    xs = 0
    assert a.shape == (5, 4)
    assert b.shape == (2, 4)


def t(sizes: list[int]):
    xs = torch.zeros(10, 4).split(sizes)
    c = torch.cat([xs[0], xs[2]])
    assert c.shape[0] == 7
    d = torch.cat([xs[0], xs[2]]).view(7, 2, 2)
    c = torch.cat([xs[0], xs[1], xs[2]])
    c.view(5, 8)


def u(sizes: list[int]):
    xs = torch.zeros(10, 4).split(sizes)
    it = iter(xs)
    a = next(it)
    out = []
    for b in it:
        if a.shape == (5, 4):
            if b.shape[0] != 5:
                out.append(torch.cat([a, b]))
        a = b
    (x,) = out
    assert x.shape == (8, 4)


def v(sizes: list[int]):
    first, *_, last = torch.zeros(10, 4).split(sizes)
    assert first.shape == (5, 4)
    assert last.shape == (2, 4)
    out = torch.cat([first, last])
    assert out.shape == (7, 4)


def w(sizes: list[int]):
    xs = torch.zeros(10, 4).split(sizes)
    i = 0
    a = xs[i]
    i = 1
    b = xs[i]
    del xs
    if a.shape[0] == 5:
        out = torch.cat([a, b]).view(8, 4)


for fn in (f, g, k, k2, p, p2, q, q2, r, s, t, u, v, w):
    fn([5, 3, 2])

# run: None
