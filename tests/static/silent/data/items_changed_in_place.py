"""What is done in place to an item of a list may be seen in any item, under any name it was given."""

import torch


def a(sizes: list[int]):
    rows = list(torch.zeros(10).split(sizes))
    for r in rows:
        r.unsqueeze_(0)
    w = rows[0]
    assert w.ndim == 2
    z = torch.cat(rows, 1)
    assert z.shape == (1, 10)


def b(sizes: list[int]):
    rows = list(torch.zeros(10).split(sizes))
    rows[0].unsqueeze_(0)
    assert rows[0].shape == (1, 5)
    assert rows[1].shape == (3,)


def c(sizes: list[int]):
    d = dict(zip("abc", torch.zeros(10).split(sizes)))
    x = d["a"]
    y = d.get("a")
    x.unsqueeze_(1)
    assert y.shape == (5, 1) and d["a"].shape == (5, 1)
    assert d["b"].shape == (3,)


def help(t):
    t.unsqueeze_(0)


def e(sizes: list[int]):
    rows = list(torch.zeros(10).split(sizes))
    x = rows[0]
    help(x)
    help(rows[1])
    assert rows[0].ndim == 2 and rows[1].shape == (1, 3)
    assert rows[2].ndim == 1


def f(sizes: list[int]):
    rows = list(torch.zeros(10).split(sizes))
    x, y, z = rows
    x.unsqueeze_(0)
    assert rows[0].ndim == 2 and y.ndim == 1
    u, *v = rows
    v[0].unsqueeze_(0)
    assert rows[1].ndim == 2 and y.shape == (1, 3)


def g(sizes: list[int]):
    rows = list(torch.zeros(10).split(sizes))
    x = rows.pop(0)
    x.unsqueeze_(0)
    assert rows[0].ndim == 1
    rows.append(x)
    assert rows[-1].ndim == 2


def h(sizes: list[int]):
    rows = [torch.zeros(n, 2) for n in sizes]
    for i, r in enumerate(rows):
        r.t_()
        rows[i].t_()
        assert r.shape[1] == 2
    big = max(rows, key=len)
    big.t_()
    assert rows[0].shape == (2, 5) and rows[1].shape == (3, 2)


def i(xs):
    rows = [torch.zeros(3, 2), torch.zeros(5, 2)]
    k = len(xs) % 2
    a, b = rows[k], rows[1 - k]
    assert a.shape == (5, 2)
    assert b.shape == (3, 2)
    other = [torch.zeros(7, 2), torch.zeros(9, 2)]
    c, d = rows[k], other[k]
    assert c.shape == (5, 2)
    assert d.shape == (9, 2)
    e = torch.cat([c, d])
    assert e.shape == (14, 2)


def j(xs):
    rows = [torch.zeros(3, 2), torch.zeros(5, 2)]
    rows += [rows.pop(0)]
    assert rows[0].shape == (5, 2)
    rows[-1] = rows.pop(0)
    assert rows[0].shape == (5, 2)
    n = len(rows)
    assert n == 1
    pair = [torch.zeros(3), torch.zeros(5)]
    pair[0], pair[1] = pair[1], pair[0]
    assert pair[0].shape == (5,)


for fn in (a, b, c, e, f, g, h, i, j):
    fn([5, 3, 2])

# run: None
