"""Properties, registries, weak references, copies and views, in thirteen functions."""
from __future__ import annotations
import argparse, collections, contextlib, copy, dataclasses, functools, itertools, math, operator, random, string, sys, types, weakref
from dataclasses import dataclass, field
from typing import Any, Callable, ClassVar, Generic, Iterator, Literal, Optional, TypeVar

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn


class Lazy:
    def __init__(self, n: int) -> None:
        self.n = n

    @functools.cached_property
    def table(self) -> Tensor:
        return torch.zeros(self.n, 2)

    @property
    def flat(self) -> Tensor:
        return self.table.flatten()


def f1():
    a = Lazy(3)
    x = a.table
    a.n = 5
    y = a.table
    del a.table
    z = a.flat
    assert x.shape == (3, 2) and y.shape == (3, 2) and z.shape == (10,)
    a.table = torch.zeros(7)
    w = a.flat
    assert w.shape == (7,)


class Temp:
    def __init__(self, c):
        self._c = c

    @property
    def c(self):
        return self._c

    @c.setter
    def c(self, v):
        self._c = v if isinstance(v, Tensor) else torch.full((v,), 1.0)

    @c.deleter
    def c(self):
        self._c = torch.zeros(0)


def f2():
    t = Temp(torch.zeros(2, 2))
    a = t.c
    t.c = 5
    b = t.c
    t.c = torch.zeros(1, 1)
    c = t.c
    del t.c
    d = t.c
    t.c += 1
    assert a.shape == (2, 2) and b.shape == (5,) and c.shape == (1, 1) and d.shape == (0,)


class Meta:
    registry: ClassVar[dict[str, type]] = {}
    width = 1

    def __init_subclass__(cls, width: int = 2, **kw):
        super().__init_subclass__(**kw)
        cls.width = width
        Meta.registry[cls.__name__] = cls

    def make(self):
        return torch.zeros(self.width)


class A(Meta, width=4): ...


class B(A): ...


class C(B, width=6):
    def make(self):
        return torch.cat([super().make(), torch.zeros(1)])


def f3():
    a, b, c = A().make(), B().make(), C().make()
    d = Meta.registry["C"]().make()
    e = Meta().make()
    assert a.shape == (4,) and b.shape == (2,) and c.shape == (7,) and d.shape == (7,) and e.shape == (1,)


class Node:
    def __init__(self, n, parent=None):
        self.t = torch.zeros(n)
        self.parent = weakref.ref(parent) if parent else None
        self.kids = []
        if parent:
            parent.kids.append(self)

    def up(self):
        p = self.parent() if self.parent else None
        return self.t if p is None else torch.cat([p.up(), self.t])


def f4():
    r = Node(1)
    k = Node(2, r)
    g = Node(3, k)
    x = g.up()
    r.t = torch.zeros(5)
    y = g.up()
    z = r.kids[0].kids[0].t
    assert x.shape == (6,) and y.shape == (10,) and z.shape == (3,)


def f5():
    a = {"x": [torch.zeros(1)], "y": torch.zeros(2)}
    b = copy.copy(a)
    c = copy.deepcopy(a)
    a["x"].append(torch.zeros(2))
    a["y"] = torch.zeros(9)
    n, m = len(b["x"]), len(c["x"])
    p = torch.cat(b["x"])
    assert n == 2 and m == 1 and p.shape == (3,)
    q, r = b["y"], c["y"]
    assert q.shape == (2,) and r.shape == (2,)
    a["y"].resize_(4)
    s = a["y"]
    assert s.shape == (4,)
    b["y"].unsqueeze_(0)
    t = c["y"]
    assert t.shape == (2,)


def f6():
    x = torch.zeros(4, 6)
    y = x.view(2, 2, 6)
    y[0] = 1
    x[:, 0] += torch.arange(4)
    x[1:3, ::2] = torch.ones(3)
    x[..., -1] = torch.arange(4.0)
    x[x > 2] = 0
    x[0], x[1] = x[1].clone(), x[0].clone()
    x[[0, 2]] = x[[2, 0]]
    x[:, [1, 2]] = torch.zeros(4, 2)
    x[torch.arange(4), torch.tensor([0, 1, 2, 3])] = -1.0
    x[None, 0, :3] = torch.zeros(1, 3)
    x.diagonal().fill_(2)
    x[:2].copy_(torch.ones(6))
    x.index_fill_(1, torch.tensor([0]), 3.0)
    x.scatter_(1, torch.zeros(4, 2, dtype=torch.long), torch.ones(4, 2))
    x.masked_scatter_(x > 0, torch.arange(24.0))
    a, b = x.chunk(2)
    a += b
    assert x.shape == (4, 6)
    return x


def f7():
    z = torch.zeros(3, dtype=torch.complex64)
    r = torch.view_as_real(z)
    i = z.imag
    c = torch.complex(torch.zeros(2), torch.ones(2))
    v = torch.view_as_complex(torch.zeros(4, 2))
    a = z.abs()
    s = torch.zeros(4).view(torch.int32)
    b = torch.zeros(4, 6).view(torch.uint8)
    h = torch.zeros(4, 6, dtype=torch.float64).view(torch.float32)
    k = torch.zeros(4, 6).view(torch.float64)
    assert r.shape == (3, 2) and i.shape == (3,) and v.shape == (4,) and a.dtype == torch.float32
    assert s.dtype == torch.int32 and b.shape == (4, 24) and h.shape == (4, 12) and k.shape == (4, 3) and c.dtype == torch.complex64


def f8(*args, sep=None, **kw):
    if not args:
        return torch.zeros(len(kw))
    head, *tail = args
    if isinstance(head, int):
        head = torch.zeros(head)
    return torch.cat([head, f8(*tail, **{**kw, "k%d" % len(tail): 1})])


def f9():
    a = f8(2, torch.zeros(3), x=1)
    b = f8()
    c = f8(*[1] * 3)
    d = f8(*(torch.zeros(i) for i in range(3)), **dict.fromkeys("ab", 0))
    assert a.shape == (8,) and b.shape == (0,) and c.shape == (6,) and d.shape == (8,)


def f10():
    x = torch.arange(12).reshape(3, 4)
    parts = []
    while x.numel() > 2:
        parts.append(x[0])
        x = torch.rot90(x[1:])
    n = sum(len(p) for p in parts)
    assert n + x.numel() == 12
    y = torch.cat(parts)
    assert y.shape[0] >= 9


def f11():
    sizes = [3, 4]
    x = torch.zeros(sizes)
    sizes.append(5)
    y = torch.zeros(sizes)
    sizes[0] *= 2
    z = torch.zeros(*sizes)
    sizes.insert(0, sizes.pop())
    w = torch.zeros(sizes)
    sizes.sort()
    v = torch.zeros(sizes)
    del sizes[1:]
    u = torch.zeros(sizes)
    sizes *= 3
    t = torch.zeros(sizes)
    sizes[1:1] = [7, 7]
    s = torch.zeros(sizes)
    assert x.shape == (3, 4) and y.shape == (3, 4, 5) and z.shape == (6, 4, 5) and w.shape == (5, 6, 4) and v.shape == (4, 5, 6)
    assert u.shape == (4,) and t.shape == (4, 4, 4) and s.shape == (4, 7, 7, 4, 4)


def f12():
    d = {}
    for i, (k, n) in enumerate({"a": 2, "b": 3}.items()):
        d[k, i] = torch.zeros(n)
    x = d["a", 0]
    y = d[("b", 1)]
    d["a", 0], d["b", 1] = d["b", 1], d["a", 0]
    z = d["a", 0]
    keys = sorted(d, reverse=True)
    w = d[keys[0]]
    assert x.shape == (2,) and y.shape == (3,) and z.shape == (3,) and w.shape == (2,)
    inv = {v.shape[0]: k for k, v in d.items()}
    assert inv[3] == ("a", 0)


def f13():
    x = torch.zeros(5, 3)
    mean = x.mean(0, keepdim=True) if x.ndim > 1 else x
    var = x.var(0, correction=0)[None] if True else None
    norm = (x - mean) / (var + 1e-5).sqrt()
    flag = random.random() < 2
    if flag:
        y = norm[:, :2]
    else:
        y = norm
    assert y.shape == (5, 2)
    z = (y if not flag else y.T) @ (x if flag else x.T)
    assert z.shape == (2, 3)
    w = [norm, norm.T][flag]
    v = (flag and y) if flag else None
    u = {True: y, False: x}[flag]
    assert w.shape == (3, 5) and v.shape == (5, 2) and u.shape == (5, 2)


class Fitted:
    """What is assigned is kept under another name, and as wide as the class says."""

    def __init__(self, width: int) -> None:
        self.width = width

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = "_" + name

    def __get__(self, obj: Any, owner: Optional[type] = None) -> Any:
        return self if obj is None else getattr(obj, self.name, torch.zeros(self.width))

    def __set__(self, obj: Any, value: Tensor) -> None:
        setattr(obj, self.name, value.expand(self.width))


class Particle:
    position = Fitted(3)
    spin = Fitted(2)

    def __init__(self, x: Tensor) -> None:
        self.position = x


def f14():
    p = Particle(torch.ones(1))
    a = p.position @ torch.ones(3)
    p.spin = torch.tensor(1.0)
    b = p.spin[1:].unsqueeze(0)
    c = p.spin.shape[0] + Particle.spin.width
    assert a.ndim == 0 and b.shape == (1, 1) and c == 4


class Words(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.inner = nn.Embedding(30, width)

    def forward(self, ids: Tensor) -> Tensor:
        return self.inner(ids)


class Reader(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = Words(7)

    def forward(self, ids: Tensor) -> Tensor:
        return self.words(ids)


class Passed(nn.Module):
    def __init__(self, embedding: nn.Module) -> None:
        super().__init__()
        self.embedding = embedding

    def forward(self, given: Tensor) -> Tensor:
        return given


def put(module: nn.Module, names: str, value: nn.Module) -> None:
    *path, last = names.split(".")
    setattr(functools.reduce(getattr, path, module), last, value)


def passed(module: nn.Module, name: str) -> Passed:
    wrapper = Passed(getattr(module, name))
    put(module, name, wrapper)
    return wrapper


def f15():
    ids = torch.tensor([[0, 1, 0], [1, 2, 3]])
    reader = Reader()
    wrapper = passed(reader, "words")
    a = wrapper.embedding(ids)
    b = reader(a) + torch.zeros(3, 7)
    put(reader, "words", wrapper.embedding)
    first = reader.words
    put(reader, "words", Words(9))
    c, d = first(ids), reader(ids)
    assert a.shape == b.shape == c.shape == (2, 3, 7) and d.shape == (2, 3, 9)


def main():
    for k, f in list(globals().items()):
        if k.startswith("f") and k[1:].isdigit() and k != "f8":
            f()


# run: main()
