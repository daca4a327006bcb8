"""Scopes, generic containers, itertools and operators of several kinds, in twelve functions."""
from __future__ import annotations
import argparse, collections, contextlib, copy, dataclasses, functools, itertools, math, operator, random, string, sys, types, weakref
from dataclasses import dataclass, field
from typing import Any, Callable, ClassVar, Generic, Iterator, Literal, Optional, TypeVar

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn


def f14():
    class Scope(dict):
        def __missing__(self, k):
            self[k] = torch.zeros(len(k))
            return self[k]

    s = Scope()
    a = s["abc"]
    s["abc"] = torch.zeros(9)
    b = s["abc"]
    c = s.get("zz")
    assert a.shape == (3,) and b.shape == (9,) and c is None
    ns = types.SimpleNamespace(a=torch.zeros(1), b=2)
    vars(ns)["a"] = torch.zeros(4)
    ns.__dict__.update(b=torch.zeros(6))
    d, e = ns.a, ns.b
    assert d.shape == (4,) and e.shape == (6,)
    for k, v in vars(ns).items():
        setattr(ns, k, v[:1])
    f = ns.a
    assert f.shape == (1,)


def f15():
    p = argparse.Namespace(dim=4, layers=[2, 3])
    q = argparse.Namespace(**vars(p))
    q.dim += 1
    q.layers.append(7)
    x = torch.zeros(p.dim, *p.layers)
    y = torch.zeros(q.dim)
    assert x.shape == (4, 2, 3, 7) and y.shape == (5,)
    for name, value in {"dim": 8, "heads": 2}.items():
        setattr(p, name, value)
    z = torch.zeros(p.dim, p.heads)
    assert z.shape == (8, 2)


T = TypeVar("T")


class Stack(Generic[T]):
    def __init__(self) -> None:
        self._items: list[T] = []

    def push(self, x: T) -> "Stack[T]":
        self._items.append(x)
        return self

    def pop(self) -> T:
        return self._items.pop()

    def __len__(self):
        return len(self._items)

    def __bool__(self):
        return bool(self._items)

    def __iter__(self):
        while self:
            yield self.pop()

    def __contains__(self, n):
        return any(len(t) == n for t in self._items)


def f16():
    s: Stack[Tensor] = Stack()
    s.push(torch.zeros(1)).push(torch.zeros(2)).push(torch.zeros(3))
    a = s.pop()
    rest = torch.cat(list(s))
    assert a.shape == (3,) and rest.shape == (3,) and not s and len(s) == 0
    s.push(torch.zeros(4))
    b = torch.zeros(len(s), 4 in s)
    c = s.pop() if s else torch.zeros(0)
    assert b.shape == (1, 1) and c.shape == (4,)


def f17():
    x = torch.zeros(2, 3)
    for _ in range(3):
        x = torch.stack([x, x])
    assert x.ndim == 5
    for _ in range(2):
        x = x.sum(0)
    y = x
    for d in reversed(range(y.ndim)):
        y = y.unsqueeze(d)
    z = x
    while z.ndim > 1:
        z = z.flatten(0, 1)
    assert x.shape == (2, 2, 3) and y.ndim == 6 and z.shape == (12,)
    w = functools.reduce(lambda a, n: a.unsqueeze(-1).expand(*a.shape, n), [2, 3, 4], torch.zeros(()))
    assert w.shape == (2, 3, 4)
    perm = list(range(w.ndim))
    perm[0], perm[-1] = perm[-1], perm[0]
    v = w.permute(perm)
    perm.insert(0, perm.pop(1))
    u = w.permute(*perm)
    assert v.shape == (4, 3, 2) and u.shape == (3, 4, 2)


def f18():
    with contextlib.ExitStack() as stack:
        bufs = [stack.enter_context(contextlib.nullcontext(torch.zeros(n))) for n in (1, 2)]
        x = torch.cat(bufs)
    assert x.shape == (3,)


def f19():
    out: dict[int, Tensor] = {}
    for k, g in itertools.groupby(sorted(["aa", "b", "cc", "d"], key=len), key=len):
        out[k] = torch.zeros(len(list(g)), k)
    a, b = out[1], out[2]
    assert a.shape == (2, 1) and b.shape == (2, 2)
    for i, j in itertools.combinations(range(3), 2):
        m = torch.zeros(i + 1, j + 1)
    assert m.shape == (2, 3)
    rows = [torch.zeros(i) for i in itertools.takewhile(lambda n: n < 3, itertools.count(1))]
    c = torch.cat(rows)
    d = torch.stack([torch.full((2,), float(x)) for x in itertools.chain.from_iterable([[1, 2], [3]])])
    e = torch.tensor(list(itertools.product([0, 1], repeat=3)))
    f = torch.tensor(list(itertools.permutations(range(3))))
    g = torch.tensor(list(itertools.zip_longest([1, 2, 3], [4], fillvalue=0)))
    h = torch.cat([*itertools.islice((torch.zeros(i) for i in itertools.count()), 2, 5)])
    i = torch.cat([*itertools.starmap(torch.zeros, [(1, 2), (3, 2)])])
    j = list(itertools.pairwise([torch.zeros(1), torch.zeros(2), torch.zeros(3)]))
    k = torch.cat(j[1])
    l = torch.cat(list(itertools.compress([torch.zeros(1), torch.zeros(2), torch.zeros(3)], [1, 0, 1])))
    m = torch.cat(list(itertools.repeat(torch.zeros(2), 3)))
    assert c.shape == (3,) and d.shape == (3, 2) and e.shape == (8, 3) and f.shape == (6, 3) and g.shape == (3, 2)
    assert h.shape == (9,) and i.shape == (4, 2) and k.shape == (5,) and l.shape == (4,) and m.shape == (6,)


def f20():
    m = nn.Module()
    m.w = nn.Parameter(torch.zeros(2, 3))
    m.register_buffer("b", torch.zeros(4))
    m.sub = nn.Linear(3, 5)
    for name, p in list(m.named_parameters()):
        owner, _, leaf = name.rpartition(".")
        setattr(m.get_submodule(owner), leaf, nn.Parameter(p.detach()[:1]))
    w = m.w
    y = m.sub(torch.zeros(7, 3))
    for name, b in m.named_buffers():
        m._buffers[name] = b[None]
    b = m.b
    assert w.shape == (1, 3) and y.shape == (7, 1) and b.shape == (1, 4)
    m.apply(lambda k: setattr(k, "extra", torch.zeros(3)))
    e = m.sub.extra
    assert e.shape == (3,)
    s = {k: v[..., None] for k, v in m.state_dict().items()}
    v = s["w"]
    assert v.shape == (1, 3, 1)


def f21():
    lin = nn.Linear(4, 4)
    lins = [lin] * 2
    lins[1].weight = nn.Parameter(torch.zeros(6, 4))
    lins[1].bias = None
    y = lins[0](torch.zeros(1, 4))
    shared = nn.ModuleList([lin, lin])
    shared[0].weight.data = torch.zeros(8, 4)
    z = shared[1](torch.zeros(1, 4))
    u = lin(torch.zeros(4))
    assert y.shape == (1, 6) and z.shape == (1, 8) and u.shape == (8,)


def f22():
    torch.manual_seed(0)
    x = torch.zeros(10, 2)
    idx = torch.randperm(10)
    a, b = idx[:7], idx[7:]
    xs, ys = x[a], x[b]
    folds = [idx[i::3] for i in range(3)]
    f0 = x[folds[0]]
    rest = x[torch.cat(folds[1:])]
    w = torch.utils.data.random_split(range(10), [6, 4])
    k = x[torch.tensor(w[1].indices)]
    s = x[torch.multinomial(torch.ones(10), 4)]
    t = x.unfold(0, 4, 3)
    u = torch.stack(x.split(5))[:, -1]
    assert xs.shape == (7, 2) and ys.shape == (3, 2) and f0.shape == (4, 2) and rest.shape == (6, 2)
    assert k.shape == (4, 2) and s.shape == (4, 2) and t.shape == (3, 2, 4) and u.shape == (2, 2)


def f23(x: Optional[Tensor] = None, n: int | None = None, dims: tuple[int, ...] | int = ()):
    n = n or 3
    x = torch.zeros(n, 2) if x is None else x
    dims = (dims,) if isinstance(dims, int) else dims
    for d in sorted((d % x.ndim for d in dims), reverse=True):
        x = x.sum(d)
    return x


def f24():
    a, b, c, d = f23(), f23(n=0), f23(torch.zeros(2, 3, 4), dims=(0, -1)), f23(dims=-2)
    assert a.shape == (3, 2) and b.shape == (3, 2) and c.shape == (3,) and d.shape == (2,)
    e = f23(torch.zeros(4, 5), dims=1).outer(f23(n=2, dims=0))
    assert e.shape == (4, 2)


def f25():
    x = torch.zeros(2, 3)
    y = x.unsqueeze(-1)
    y = y.expand(-1, -1, 4)
    y = y.transpose(0, -1)
    z = y.reshape(-1, y.size(-1))
    a = torch.einsum("b...d,de->b...e", torch.zeros(5, 6, 7, 3), torch.zeros(3, 2))
    b = torch.tensordot(torch.zeros(2, 3, 4), torch.zeros(4, 3, 5), dims=([1, 2], [1, 0]))
    c = torch.tensordot(torch.zeros(2, 3), torch.zeros(4), dims=0)
    d = torch.inner(torch.zeros(2, 5), torch.zeros(3, 5))
    e = torch.cartesian_prod(torch.arange(2), torch.arange(3))
    f = torch.combinations(torch.arange(4), 3)
    g = torch.block_diag(torch.zeros(2, 3), torch.zeros(1, 1))
    h = torch.atleast_3d(torch.zeros(2, 3))
    i = torch.column_stack([torch.zeros(4), torch.zeros(4, 2)])
    j = torch.dstack([torch.zeros(2, 3)] * 4)
    k = torch.vander(torch.arange(3.0), 5)
    l = torch.broadcast_tensors(torch.zeros(3, 1), torch.zeros(4))[1]
    m = torch.meshgrid(torch.arange(2), torch.arange(3), indexing="xy")[0]
    n = torch.trapezoid(torch.zeros(3, 7))
    o = torch.cov(torch.zeros(3, 10))
    p = torch.bucketize(torch.zeros(2, 2), torch.arange(3.0))
    q, r = torch.linalg.qr(torch.zeros(5, 3), mode="complete")
    s = torch.linalg.multi_dot([torch.zeros(2, 3), torch.zeros(3, 4), torch.zeros(4)])
    assert y.shape == (4, 3, 2) and z.shape == (12, 2) and a.shape == (5, 6, 7, 2) and b.shape == (2, 5) and c.shape == (2, 3, 4)
    assert d.shape == (2, 3) and e.shape == (6, 2) and f.shape == (4, 3) and g.shape == (3, 4) and h.shape == (2, 3, 1)
    assert i.shape == (4, 3) and j.shape == (2, 3, 4) and k.shape == (3, 5) and l.shape == (3, 4) and m.shape == (3, 2)
    assert n.shape == (3,) and o.shape == (3, 3) and p.shape == (2, 2) and q.shape == (5, 5) and r.shape == (5, 3) and s.shape == (2,)


def main():
    for k, f in list(globals().items()):
        if k.startswith("f") and k[1:].isdigit() and k != "f23":
            f()


# run: main()
