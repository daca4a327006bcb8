"""State that calls advance, objects shared and copied, parameters under other names, in thirteen functions."""
from __future__ import annotations
import collections, contextlib, copy, functools, heapq, itertools, math, operator, types
from dataclasses import dataclass, field
from typing import Any, Callable, Iterator, Optional

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn


class Stateful(nn.Module):
    def __init__(self, d: int) -> None:
        super().__init__()
        self.d = d
        self.lin = nn.Linear(d, d)
        self.hidden: Tensor | None = None
        self.trace: list[Tensor] = []

    def forward(self, x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
        h = self.lin(x)
        self.hidden = h if self.hidden is None or self.hidden.shape != h.shape else self.hidden + h
        self.trace.append(h)
        return self.hidden

    def history(self) -> Tensor:
        return torch.cat(self.trace)

    def reset(self) -> "Stateful":
        self.hidden = None
        self.trace.clear()
        return self


def f1():
    m = Stateful(3)
    a = m(torch.zeros(2, 3))
    b = m(torch.zeros(5, 3))
    h = m.history()
    c = m.reset()(torch.zeros(1, 3))
    k = m.history()
    assert a.shape == (2, 3) and b.shape == (5, 3) and h.shape == (7, 3) and k.shape == (1, 3) and c.shape == (1, 3)
    x = m.hidden
    m(m(torch.zeros(4, 3)))
    y = m.hidden
    n = len(m.trace)
    assert x is not None and x.shape == (1, 3) and y is not None and y.shape == (4, 3) and n == 3


class Pipeline:
    def __init__(self) -> None:
        self.steps: list[Callable[[Tensor], Tensor]] = []
        self.shape: tuple[int, ...] = ()

    def add(self, fn: Callable[[Tensor], Tensor]) -> "Pipeline":
        self.steps.append(fn)
        return self

    def __call__(self, x: Tensor) -> Tensor:
        for s in self.steps:
            x = s(x)
        self.shape = tuple(x.shape)
        return x

    def __or__(self, other: "Pipeline") -> "Pipeline":
        p = Pipeline()
        p.steps = [*self.steps, *other.steps]
        return p

    def __iadd__(self, fn):
        return self.add(fn)


def f2():
    p = Pipeline().add(lambda x: x[:, None]).add(lambda x: x.expand(-1, 4))
    q = Pipeline().add(torch.t)
    a = p(torch.zeros(3))
    b = (p | q)(torch.zeros(5))
    p += torch.flatten
    c = p(torch.zeros(2))
    d = torch.zeros(p.shape)
    q.steps[0] = lambda x: x[0]
    e = q(torch.zeros(6, 7))
    assert a.shape == (3, 4) and b.shape == (4, 5) and c.shape == (8,) and d.shape == (8,) and e.shape == (7,)


def f3():
    n = 2

    def grow():
        nonlocal n
        n += 1
        return torch.zeros(n)

    a, b = grow(), grow()
    c = torch.zeros(n)
    xs = [grow() for _ in range(2)]
    d = xs[-1]
    e = torch.zeros(n, *[len(x) for x in xs])
    assert a.shape == (3,) and b.shape == (4,) and c.shape == (4,) and d.shape == (6,) and e.shape == (6, 5, 6)
    f = torch.zeros(len(grow()), n)
    g = torch.cat([torch.zeros(n), grow(), torch.zeros(n)])
    assert f.shape == (7, 7) and g.shape == (7 + 8 + 8,)


counter = 0
cache: dict[str, Tensor] = {}


def bump() -> int:
    global counter
    counter += 1
    return counter


def fetch(key: str, n: int = 1) -> Tensor:
    if key not in cache:
        cache[key] = torch.zeros(n)
    return cache[key]


def f4():
    a = torch.zeros(bump())
    b = torch.zeros(bump(), counter)
    x = fetch("a", 3)
    y = fetch("a", 9)
    cache["a"] = torch.zeros(4)
    z = fetch("a")
    cache.clear()
    w = fetch("a")
    assert a.shape == (1,) and b.shape == (2, 2) and x.shape == y.shape == (3,) and z.shape == (4,) and w.shape == (1,)


@dataclass
class Cfg:
    width: int = 4
    layers: list[int] = field(default_factory=lambda: [2, 3])
    sub: "Cfg | None" = None

    def scaled(self, k: int) -> "Cfg":
        self.width *= k
        self.layers = [k * n for n in self.layers]
        return self


def f5():
    c = Cfg()
    d = c
    e = copy.copy(c)
    f = copy.deepcopy(c)
    a = torch.zeros(c.scaled(2).width, *c.layers)
    c.layers.append(1)
    b = torch.zeros(d.width, *d.layers)
    g = torch.zeros(e.width, *e.layers)
    h = torch.zeros(f.width, *f.layers)
    assert a.shape == (8, 4, 6) and b.shape == (8, 4, 6, 1) and g.shape == (4, 2, 3) and h.shape == (4, 2, 3)
    c.sub = Cfg(width=c.width + 1, sub=e)
    i = torch.zeros(c.sub.width, c.sub.sub.width)
    e.width = 7
    j = torch.zeros(c.sub.sub.width)
    assert i.shape == (9, 4) and j.shape == (7,)


def f6():
    grid: list[list[Optional[Tensor]]] = [[None] * 3 for _ in range(2)]
    for i in range(2):
        for j in range(3):
            up = grid[i - 1][j] if i else None
            left = grid[i][j - 1] if j else None
            grid[i][j] = torch.zeros(1 + (0 if up is None else len(up)) + (0 if left is None else len(left)))
    a = grid[1][2]
    assert a is not None and a.shape == (9,)
    rows = [torch.cat([c for c in r if c is not None]) for r in grid]
    b, c = rows
    assert b.shape == (6,) and c.shape == (16,)
    wrong = [[torch.zeros(1)] * 2] * 2
    wrong[0][0] = torch.zeros(5)
    d = wrong[1][0]
    assert d.shape == (5,)


def f7():
    x = torch.zeros(6, 4)
    views = {"a": x[:3], "b": x.view(2, 12), "c": x.T}
    x.resize_(2, 2)
    a, b, c = views.values()
    assert a.shape == (3, 4) and b.shape == (2, 12) and c.shape == (4, 6)
    y = x.detach()
    y.unsqueeze_(0)
    z = x.data
    z.unsqueeze_(0)
    assert x.shape == (2, 2) and y.shape == (1, 2, 2) and z.shape == (1, 2, 2)
    s = torch.squeeze(y)
    t = y.squeeze_()
    u = y
    assert s.shape == t.shape == u.shape == (2, 2)
    w = torch.zeros(1, 3, 1)
    v = w.squeeze()
    k = w.squeeze(0).squeeze(-1)
    l = w.squeeze((0, 2))
    m = w.squeeze(1)
    assert v.shape == k.shape == l.shape == (3,) and m.shape == (1, 3, 1)


def f8():
    total = torch.zeros(())
    best = None
    for i, x in enumerate([torch.zeros(3), torch.ones(2), torch.zeros(4)]):
        score = x.sum() + i
        if best is None or score > best[0]:
            best = (score, x)
        total = total + score
    assert best is not None and best[1].shape == (2,) and total.shape == ()
    cand = [torch.zeros(3), torch.zeros(5)]
    pick = max(cand, key=lambda t: t.numel())
    worst = min(cand, key=len)
    ranked = sorted(cand, key=len, reverse=True)
    a = ranked[0]
    assert pick.shape == (5,) and worst.shape == (3,) and a.shape == (5,)
    order = sorted(range(2), key=lambda i: -len(cand[i]))
    b = cand[order[0]]
    first, *_ = (t for t in cand if len(t) > 4)
    c = next((t for t in cand if len(t) > 9), torch.zeros(1))
    d = next(filter(lambda t: len(t) < 4, cand))
    assert b.shape == (5,) and first.shape == (5,) and c.shape == (1,) and d.shape == (3,)


def f9():
    class Tree:
        def __init__(self, *kids: "Tree", t: Tensor | None = None):
            self.kids, self.t = list(kids), t

        def fold(self, fn):
            if self.t is not None:
                return self.t
            return fn([k.fold(fn) for k in self.kids])

        def walk(self):
            yield self
            for k in self.kids:
                yield from k.walk()

        def replace(self, fn):
            if self.t is not None:
                self.t = fn(self.t)
            for k in self.kids:
                k.replace(fn)
            return self

    tree = Tree(Tree(t=torch.zeros(2)), Tree(Tree(t=torch.zeros(3)), Tree(t=torch.zeros(1))))
    a = tree.fold(torch.cat)
    tree.replace(lambda t: torch.cat([t, t]))
    b = tree.fold(torch.cat)
    c = tree.kids[0].t
    n = sum(1 for _ in tree.walk())
    tree.kids[0].t = torch.zeros(9)
    d = tree.fold(torch.cat)
    assert a.shape == (6,) and b.shape == (12,) and c.shape == (4,) and n == 5 and d.shape == (17,)


def f10():
    q = [(3, 0, torch.zeros(3)), (1, 1, torch.zeros(1))]
    heapq.heapify(q)
    heapq.heappush(q, (2, 2, torch.zeros(2)))
    _, _, a = heapq.heappop(q)
    _, _, b = heapq.heapreplace(q, (9, 3, torch.zeros(9)))
    c = [t for *_, t in heapq.nlargest(1, q)][0]
    d = torch.cat([t for _, _, t in q])
    assert a.shape == (1,) and b.shape == (2,) and c.shape == (9,) and d.shape == (12,)
    m = heapq.merge([1, 4], [2])
    e = torch.tensor(list(m))
    assert e.shape == (3,)


def f11():
    lin = nn.Linear(3, 4)
    params = dict(lin.named_parameters())
    params["weight"].data = torch.zeros(5, 3)
    params["bias"].data = torch.zeros(5)
    y = lin(torch.zeros(2, 3))
    assert y.shape == (2, 5)
    for p in lin.parameters():
        p.data = p.data[:2]
    z = lin(torch.zeros(2, 3))
    sd = lin.state_dict()
    w = sd["weight"]
    assert z.shape == (2, 2) and w.shape == (2, 3)
    lin.load_state_dict({"weight": torch.ones(2, 3), "bias": torch.ones(2)})
    tied = nn.Linear(3, 2)
    tied.weight = lin.weight
    lin.weight.data = torch.zeros(2, 7)
    v = tied(torch.zeros(1, 7))
    assert v.shape == (1, 2)
    emb = nn.Embedding(5, 6)
    out = nn.Linear(6, 5, bias=False)
    out.weight = emb.weight
    emb.weight = nn.Parameter(torch.zeros(9, 6))
    u = out(torch.zeros(6))
    t = emb(torch.tensor([8]))
    assert u.shape == (5,) and t.shape == (1, 6)


def f12():
    bn = nn.BatchNorm1d(3)
    seq = nn.Sequential(collections.OrderedDict(a=nn.Linear(2, 3), b=bn))
    seq.a = nn.Linear(5, 3)
    x = seq(torch.zeros(2, 5))
    seq.add_module("c", nn.Linear(3, 1))
    y = seq(torch.zeros(2, 5))
    seq._modules.pop("b")
    del seq.c
    z = seq(torch.zeros(2, 5))
    ml = nn.ModuleList([nn.Linear(2, 3)])
    ml.append(nn.Linear(3, 4))
    ml.insert(0, nn.Linear(1, 2))
    w = torch.zeros(1, 1)
    for m in ml:
        w = m(w)
    ml[-1] = nn.Identity()
    v = torch.zeros(1, 1)
    for m in ml:
        v = m(v)
    last = ml[-1](v)
    head = nn.Sequential(*ml[1:])(torch.zeros(7, 2))
    assert x.shape == (2, 3) and y.shape == (2, 1) and z.shape == (2, 3) and w.shape == (1, 4) and v.shape == last.shape == (1, 3)
    assert head.shape == (7, 3)


class Acc:
    def __init__(self):
        self.parts = []

    def __lshift__(self, t):
        self.parts.append(t)
        return self

    def __len__(self):
        return sum(len(p) for p in self.parts)

    def __call__(self):
        out, self.parts = torch.cat(self.parts), []
        return out

    def __enter__(self):
        return self

    def __exit__(self, *a):
        self.parts.append(torch.zeros(1))


def f13():
    a = Acc()
    a << torch.zeros(2) << torch.zeros(3)
    n = len(a)
    x = a()
    m = len(a)
    with a as b:
        b << torch.zeros(4)
    y = a()
    assert n == 5 and x.shape == (5,) and m == 0 and y.shape == (5,)
    z = torch.zeros(len(a << torch.zeros(6)), len(a))
    assert z.shape == (6, 6)


def main():
    for k, f in list(globals().items()):
        if k.startswith("f") and k[1:].isdigit():
            f()


# run: main()
