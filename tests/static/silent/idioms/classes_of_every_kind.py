"""Enums, flags, slots, ABCs, dunder methods, class decorators, dynamic classes, type(), __init__ via super chains, __call__ metaclass-free."""

import abc
import enum
import functools
import types
from dataclasses import dataclass, field, make_dataclass
from typing import NamedTuple

import torch
import torch.nn as nn
from torch import Tensor


class Size(enum.IntEnum):
    SMALL = 2
    LARGE = 5


class Flag(enum.Flag):
    A = enum.auto()
    B = enum.auto()


class Slots:
    __slots__ = ("x", "_n")

    def __init__(self, n):
        self._n = n
        self.x = torch.zeros(n)


class Shape(abc.ABC):
    registry: list = []

    @property
    @abc.abstractmethod
    def dims(self) -> int: ...

    @abc.abstractmethod
    def make(self): ...

    def both(self):
        return torch.zeros(self.dims, len(self.make()))

    def __init_subclass__(cls):
        Shape.registry.append(cls)


class Sq(Shape):
    dims = 3

    def make(self):
        return torch.zeros(4)


class Ln(Shape):
    def __init__(self, n):
        self.n = n

    @property
    def dims(self):
        return self.n

    def make(self):
        return torch.zeros(self.n + 1)


def add_width(n):
    def deco(cls):
        cls.width = n
        old = cls.__init__

        def __init__(self, *a, **k):
            old(self, *a, **k)
            self.w = torch.zeros(n)

        cls.__init__ = __init__
        return cls

    return deco


@add_width(6)
class Deco:
    width = 2

    def __init__(self):
        self.w = torch.zeros(1)


def singleton(cls):
    return cls()


@singleton
class Const:
    n = 4

    def make(self):
        return torch.zeros(self.n)


@functools.total_ordering
class Ord:
    def __init__(self, t):
        self.t = t

    def __lt__(self, o):
        return len(self.t) < len(o.t)

    def __eq__(self, o):
        return len(self.t) == len(o.t)

    def __hash__(self):
        return len(self.t)


class Vec:
    def __init__(self, t):
        self.t = t

    def __add__(self, o):
        return Vec(torch.cat([self.t, o.t if isinstance(o, Vec) else o]))

    def __radd__(self, o):
        return self if o == 0 else Vec(torch.cat([o, self.t]))

    def __iadd__(self, o):
        self.t = torch.cat([self.t, o])
        return self

    def __mul__(self, k):
        return Vec(self.t.repeat(k))

    def __getitem__(self, i):
        r = self.t[i]
        return Vec(r) if r.ndim else r

    def __setitem__(self, i, v):
        t = self.t.clone()
        t[i] = v
        self.t = t[None]

    def __len__(self):
        return self.t.shape[-1]

    def __call__(self, f):
        return Vec(f(self.t))

    def __invert__(self):
        return self.t

    def __format__(self, s):
        return "x" * len(self)

    def __index__(self):
        return len(self)

    def __array__(self, dtype=None, copy=None):
        return self.t.numpy()


class A:
    def __init__(self, **kw):
        self.a = torch.zeros(kw.pop("a", 1))
        super().__init__(**kw)


class B:
    def __init__(self, b=2, **kw):
        self.b = torch.zeros(b)
        super().__init__(**kw)


class C(A, B):
    def __init__(self, c=3, **kw):
        super().__init__(**kw)
        self.c = torch.cat([self.a, self.b, torch.zeros(c)])


def main():
    a = torch.zeros(Size.LARGE, Size["SMALL"], Size(2)) + torch.zeros(5, 2, 2)
    b = torch.zeros(len(Size), Flag.B.value) + torch.zeros(2, 2)
    s = Slots(3)
    s.x = torch.zeros(s._n + 1)
    c = s.x + torch.zeros(4)
    d = Sq().both() + torch.zeros(3, 4)
    e = Ln(2).both() + torch.zeros(2, 3)
    f = torch.zeros(len(Shape.registry)) + torch.zeros(2)
    g = Deco().w + torch.zeros(6)
    h = torch.zeros(Deco.width) + torch.zeros(6)
    i = Const.make() + torch.zeros(4)
    j = max([Ord(torch.zeros(1)), Ord(torch.zeros(3))]).t + torch.zeros(3)
    k = sorted([Ord(torch.zeros(4)), Ord(torch.zeros(2))])[0].t + torch.zeros(2)
    v = Vec(torch.zeros(2))
    l = ~(v + torch.zeros(3)) + torch.zeros(5)
    m = ~sum([v, v, v]) + torch.zeros(6)
    u = v
    v += torch.zeros(4)
    n = u.t + torch.zeros(6)
    o = ~(v * 2)[1:5] + torch.zeros(4)
    p = v[0] + torch.zeros(())
    v[0] = 1.0
    q = v.t + torch.zeros(1, 6)
    r = torch.zeros(len(v), len(f"{v}"), v) + torch.zeros(6, 6, 6)
    t = ~v(lambda t: t[0, :2]) + torch.zeros(2)
    w = C(a=4, b=5).c + torch.zeros(12)
    x = C().c + torch.zeros(6)
    D = type("D", (Sq,), {"dims": 8})
    y = D().both() + torch.zeros(8, 4)
    E = make_dataclass("E", [("n", int), ("w", object, field(default_factory=lambda: torch.zeros(3)))])
    z = E(2).w + torch.zeros(3)
    N = NamedTuple("N", [("p", Tensor), ("q", Tensor)])
    aa = N(torch.zeros(2), torch.zeros(3)).q + torch.zeros(3)
    ns = types.SimpleNamespace(**{"k": 4})
    ns.k += 1
    bb = torch.zeros(ns.k) + torch.zeros(5)
    cls = {"sq": Sq, "ln": functools.partial(Ln, 6)}
    cc = cls["ln"]().make() + torch.zeros(7)
    dd = [k() for k in (Sq, cls["ln"])][1].both() + torch.zeros(6, 7)
    mp = types.MappingProxyType({"n": 3})
    ee = torch.zeros(mp["n"]) + torch.zeros(3)
    ff = v.t if isinstance(v, Vec) else torch.zeros(9)
    gg = ff + torch.zeros(1, 6) if isinstance(ff, Tensor) else 0
    hh = torch.zeros(3 if issubclass(D, Shape) else 4) + torch.zeros(3)
    ii = torch.zeros(hasattr(s, "y") + 1, callable(v) + 1) + torch.zeros(1, 2)
    jj = torch.zeros(2 if type(v) is Vec else 9) + torch.zeros(2)
    return a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, t, w, x, y, z, aa, bb, cc, dd, ee, gg, hh, ii, jj


# run: main()
