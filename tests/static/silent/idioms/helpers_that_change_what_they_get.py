"""Closures and helpers that change lists, dicts and objects of others, several levels deep."""

import torch
import torch.nn as nn
from torch import Tensor
from typing import Callable


def collect():
    acc = []

    def add(x):
        acc.append(x)
        return acc

    add(torch.zeros(1))
    add(torch.zeros(2))
    a = torch.cat(acc) + torch.zeros(3)
    b = torch.zeros(len(acc)) + torch.zeros(2)
    for i in range(2):
        add(torch.zeros(i))
    c = torch.zeros(len(acc)) + torch.zeros(4)
    add(torch.zeros(3)).pop()
    d = torch.zeros(len(acc)) + torch.zeros(4)
    st = {"n": 1}

    def bump(k):
        st["n"] *= k
        return lambda: st["n"]

    r = bump(4)
    e = torch.zeros(st["n"]) + torch.zeros(4)
    st["n"] = 6
    f = torch.zeros(r()) + torch.zeros(6)
    return a, b, c, d, e, f


class Log:
    def __init__(self):
        self.rows, self.n, self.last = [], 0, None

    def write(self, x):
        self.rows.append(x)
        self.n += x.shape[0]
        self.last = x
        return self

    def child(self):
        c = Log()
        c.rows = self.rows
        return c


def deep(log: Log, x):
    inner(log, x)
    inner(log=log, x=x)


def inner(log, x):
    log.write(x).write(x)


def through(logs, i):
    deep(logs[i], torch.zeros(2))


def fluent():
    l = Log()
    deep(l, torch.zeros(3))
    a = torch.zeros(l.n) + torch.zeros(12)
    b = torch.stack(l.rows) + torch.zeros(4, 3)
    c = l.child().write(torch.zeros(3))
    d = torch.stack(l.rows) + torch.zeros(5, 3)
    e = torch.zeros(c.n) + torch.zeros(3)
    through([l, c], 1)
    f = c.last + torch.zeros(2)
    g = torch.zeros(len(l.rows)) + torch.zeros(9)
    w = l.write
    w(torch.zeros(7))
    h = l.last + torch.zeros(7)
    fs: list[Callable] = [l.write, c.write]
    for k in fs:
        k(torch.zeros(8))
    i = l.last + torch.zeros(8)
    j = torch.zeros(len(c.rows)) + torch.zeros(12)
    Log.write(l, torch.zeros(1))
    m = l.last + torch.zeros(1)
    getattr(l, "write")(torch.zeros(4))
    n = l.last + torch.zeros(4)
    o = l.last + torch.zeros(4)
    return a, b, d, e, f, g, h, i, j, m, n, o


def swap(xs, i, j):
    xs[i], xs[j] = xs[j], xs[i]


def normalise(d):
    for k in list(d):
        d[k.upper()] = d.pop(k)[None]


def widen(cfg):
    cfg["dim"] *= 2
    cfg.setdefault("heads", 4)
    cfg["nested"]["n"] += 1


def trim(xs, n):
    del xs[n:]


def rec(xs, depth):
    if depth:
        xs.append(torch.zeros(depth))
        rec(xs, depth - 1)


def passing():
    xs = [torch.zeros(1), torch.zeros(2), torch.zeros(3)]
    swap(xs, 0, 2)
    a = xs[0] + torch.zeros(3)
    trim(xs, 2)
    b = torch.zeros(len(xs)) + torch.zeros(2)
    d = {"a": torch.zeros(2)}
    normalise(d)
    c = d["A"] + torch.zeros(1, 2)
    cfg = {"dim": 4, "nested": {"n": 1}}
    nested = cfg["nested"]
    widen(cfg)
    e = torch.zeros(cfg["dim"], cfg["heads"], nested["n"]) + torch.zeros(8, 4, 2)
    ys: list[Tensor] = []
    rec(ys, 3)
    f = torch.cat(ys) + torch.zeros(6)
    zs = ys
    zs += [torch.zeros(9)]
    g = torch.cat(ys) + torch.zeros(15)
    zs = zs + [torch.zeros(1)]
    h = torch.cat(ys) + torch.zeros(15)
    t = (ys, 1)
    t[0].clear()
    i = torch.zeros(len(ys)) + torch.zeros(0)
    m = [[0] * 2 for _ in range(3)]
    m[1].append(5)
    j = torch.zeros(len(m[1]), len(m[0])) + torch.zeros(3, 2)
    tup = ([torch.zeros(1)],)
    for q in tup:
        q.append(torch.zeros(2))
    k = torch.cat(tup[0]) + torch.zeros(3)
    args = [2, 3]
    l = torch.zeros(*args, *args[1:]) + torch.zeros(2, 3, 3)
    args.reverse()
    n = torch.zeros(args) + torch.zeros(3, 2)
    kw = dict(size=(2, 3))
    kw["size"] = (4,)
    o = torch.zeros(**kw) + torch.zeros(4)
    s = set()
    for v in (1, 1, 2):
        s.add(v)
    p = torch.zeros(len(s)) + torch.zeros(2)
    s |= {7, 8}
    r = torch.zeros(len(s)) + torch.zeros(4)
    b2 = bytearray(b"abc")
    b2 += b"d"
    u = torch.zeros(len(b2)) + torch.zeros(4)
    w = "ab"
    w += "cde"
    x = torch.zeros(len(w), len(w.split("c"))) + torch.zeros(5, 2)
    y = torch.zeros(len(f"{w}{3:03d}")) + torch.zeros(8)
    z = torch.zeros([int(v) for v in "2,3".split(",")]) + torch.zeros(2, 3)
    return a, b, c, e, f, g, h, i, j, k, l, n, o, p, r, u, x, y, z


# run: collect()
# run: fluent()
# run: passing()
