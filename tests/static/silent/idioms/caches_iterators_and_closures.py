"""Caches, iterators, closures and containers, in sixteen functions."""
from __future__ import annotations
import copy, functools, itertools, operator, random, weakref, types, collections, contextlib, enum, math
from dataclasses import dataclass, field, replace
from typing import Any, Callable, Iterator, NamedTuple, Optional
import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn


@functools.lru_cache
def grid(n: int) -> list[Tensor]:
    return [torch.zeros(n), torch.zeros(n, n)]


@functools.cache
def table(n: int) -> dict[str, Tensor]:
    return {"a": torch.zeros(n)}


@functools.cache
def box(n: int):
    return types.SimpleNamespace(t=torch.zeros(n), n=n)


def f1():
    a = grid(3)
    a.append(torch.zeros(7))
    b = grid(3)
    assert len(b) == 3
    c = b[2]
    assert c.shape == (7,)
    a[0] = torch.zeros(9)
    d = grid(3)[0]
    assert d.shape == (9,)


def f2():
    t = table(4)
    t["a"] = t["a"][:, None]
    u = table(4)["a"]
    assert u.shape == (4, 1)
    o = box(2)
    o.t = torch.ones(5)
    p = box(2).t
    assert p.shape == (5,)


def f3():
    it = iter([torch.zeros(1), torch.zeros(2), torch.zeros(3), torch.zeros(4)])
    first = next(it)
    pairs = list(zip(it, it))
    assert len(pairs) == 1
    (a, b), = pairs
    assert a.shape == (2,) and b.shape == (3,)
    c = list(it)
    assert c == []


def f4():
    it = iter([torch.zeros(1), torch.zeros(2), torch.zeros(3)])
    total = sum(len(t) for t in it)
    again = sum(len(t) for t in it)
    x = torch.zeros(total)
    y = torch.zeros(again)
    assert x.shape == (6,) and y.shape == (0,)


def f5():
    m = map(lambda n: torch.zeros(n), [1, 2, 3])
    a = next(m)
    rest = torch.cat(list(m))
    assert a.shape == (1,) and rest.shape == (5,)
    z = torch.cat([torch.zeros(1), *m])
    assert z.shape == (1,)


def f6():
    t = torch.zeros(3)
    xs = [t, t, torch.zeros(3)]
    for x in xs:
        x.unsqueeze_(0)
    a, b, c = xs
    assert a.shape == (1, 1, 3) and b.shape == (1, 1, 3) and c.shape == (1, 3)


def f7():
    xs = [torch.zeros(2)] * 3
    xs[0].resize_(4)
    y = xs[2]
    assert y.shape == (4,)
    ys = [torch.zeros(2) for _ in range(3)]
    ys[0].resize_(4)
    z = ys[2]
    assert z.shape == (2,)


def f8():
    t = torch.randn(5, 3)
    x, y, z = t.unbind(1)
    u = torch.stack([x, y, z])
    assert u.shape == (3, 5)
    r = torch.zeros(3, 3)
    a, b, c = r.unbind(1)
    d, e, f = r
    v = torch.stack([a, b, d], 1) @ r
    assert v.shape == (3, 3)


def f9(p: Float[Tensor, "n d"] = torch.randn(4, 3)):
    x, y, z = p.unbind(1)
    m = torch.zeros(3, 3)
    q = p @ m
    w = torch.stack([x, y, z], -1) @ m
    return q + w


def f10():
    d = collections.OrderedDict(a=torch.zeros(1), b=torch.zeros(2))
    d.move_to_end("a")
    last = next(reversed(d.values()))
    k, v = d.popitem()
    assert last.shape == (1,) and k == "a" and v.shape == (1,)
    first = next(iter(d.values()))
    assert first.shape == (2,)


def f11():
    d = {"x": torch.zeros(2)}
    e = d
    e["x"] = torch.zeros(3)
    f = dict(d)
    f["x"] = torch.zeros(4)
    g = d | {"x": torch.zeros(5)}
    h = {**d, "y": d["x"]}
    d["x"] = torch.zeros(6)
    assert [v["x"].shape[0] for v in (d, e, f, g, h)] == [6, 6, 4, 5, 3]
    a, b, c = e["x"], h["y"], f["x"]
    assert a.shape == (6,) and b.shape == (3,) and c.shape == (4,)


def f12():
    class C:
        items: list[Tensor] = []
        shape = (2, 3)

        def add(self, n):
            self.items.append(torch.zeros(n))
            return self

    a, b = C(), C()
    a.add(1)
    b.add(2)
    n = len(a.items)
    assert n == 2
    x = torch.cat(C.items)
    assert x.shape == (3,)
    a.items = [torch.zeros(9)]
    y = torch.cat(b.items)
    z = torch.cat(a.items)
    assert y.shape == (3,) and z.shape == (9,)
    C.shape = (4,)
    w = torch.zeros(b.shape)
    assert w.shape == (4,)


def f13(acc=[]):
    acc.append(torch.zeros(2))
    return torch.stack(acc)


def f14():
    fs = []
    for n in range(1, 4):
        fs.append(lambda: torch.zeros(n))
    x = fs[0]()
    assert x.shape == (3,)
    gs = [lambda n=n: torch.zeros(n) for n in range(1, 4)]
    y = gs[0]()
    assert y.shape == (1,)
    hs = [lambda: torch.zeros(k) for k in range(1, 4)]
    z = hs[0]()
    assert z.shape == (3,)


def f15():
    def gen():
        x = torch.zeros(1)
        while True:
            n = yield x
            if n is None:
                return torch.ones(9)
            x = torch.cat([x, torch.zeros(n)])

    g = gen()
    a = next(g)
    b = g.send(2)
    c = g.send(3)
    try:
        next(g)
    except StopIteration as e:
        d = e.value
    assert a.shape == (1,) and b.shape == (3,) and c.shape == (6,) and d.shape == (9,)

    def outer():
        r = yield from gen()
        yield r

    h = outer()
    next(h)
    i = next(h)
    assert i.shape == (9,)


def f16():
    x = torch.zeros(2, 3)
    y = x
    x = x.T
    z = x @ y
    y += 1
    x = y
    assert z.shape == (3, 3) and x.shape == (2, 3)
    a = b = torch.zeros(4)
    a = a[:2]
    b[:2] = a
    a, b = b, a
    assert a.shape == (4,) and b.shape == (2,)


def main():
    for k, f in list(globals().items()):
        if k.startswith("f") and k[1:].isdigit():
            f()
    assert f13().shape == (2, 2)


# run: main()
