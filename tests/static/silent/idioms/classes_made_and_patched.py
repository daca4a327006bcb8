"""Mixins and MRO, cooperative super, class attributes hidden by instances, monkeypatching, dynamic classes."""
from __future__ import annotations

import types
from typing import Any, Generic, TypeVar

import torch
from jaxtyping import Float
from torch import Tensor, nn

T = TypeVar("T")


class Base(nn.Module):
    pad = 0
    scale: float = 1.0

    def __init__(self, dim: int, **kw: Any) -> None:
        super().__init__()
        assert not kw, kw
        self.dim = dim
        self.proj = self.make(dim)

    def make(self, dim: int) -> nn.Module:
        return nn.Linear(dim, dim)

    def before(self, x: Tensor) -> Tensor:
        return x

    def after(self, x: Tensor) -> Tensor:
        return x

    def forward(self, x: Float[Tensor, "b i"]) -> Tensor:
        return self.after(self.proj(self.before(x)) * self.scale)


class Residual(Base):
    def forward(self, x: Tensor) -> Tensor:
        y = super().forward(x)
        return x + y if y.shape == x.shape else y


class Pad(Base):
    def __init__(self, *args: Any, pad: int = 2, **kw: Any) -> None:
        self.__dict__["pad"] = pad
        super().__init__(*args, **kw)

    def make(self, dim: int) -> nn.Module:
        return super().make(dim + self.pad)

    def before(self, x: Tensor) -> Tensor:
        return nn.functional.pad(super().before(x), (0, self.pad))


class Crop(Base):
    def after(self, x: Tensor) -> Tensor:
        return super().after(x)[:, : self.dim]


class Heads(Base):
    def __init__(self, *args: Any, heads: int = 2, **kw: Any) -> None:
        self.__dict__["heads"] = heads
        super().__init__(*args, **kw)

    def after(self, x: Tensor) -> Tensor:
        x = super().after(x)
        return x.unflatten(1, (self.heads, -1))


class A(Crop, Pad): ...


class B(Residual, Pad, Crop): ...


class C(Heads, Crop, Pad):
    def make(self, dim):
        return nn.Sequential(super().make(dim), nn.ReLU())


class Typed(Generic[T]):
    def __init__(self, value: T) -> None:
        self.value = value

    def get(self) -> T:
        return self.value

    def then(self, fn) -> "Typed[Any]":
        return Typed(fn(self.value))


class Lazy:
    width = 3

    def __init__(self) -> None:
        self.calls = 0

    def table(self) -> Tensor:
        self.calls += 1
        return torch.zeros(self.width, self.calls)


def make_class(n: int) -> type[nn.Module]:
    class Fixed(nn.Module):
        size = n

        def __init__(self) -> None:
            super().__init__()
            self.lin = nn.Linear(self.size, 2 * n)

        def forward(self, x):
            return self.lin(x)

    Fixed.__name__ = f"Fixed{n}"
    return Fixed


def main() -> None:
    x = torch.randn(4, 6)
    a = A(6)(x)
    b = B(6, pad=3)(x)
    c = C(6, pad=4, heads=3)(x)
    assert a.shape == (4, 6) and b.shape == (4, 6) and c.shape == (4, 3, 2)
    p = Pad(6)
    y = p(x)
    p.pad = 0
    p.proj = nn.Linear(6, 1)
    z = p(x)
    assert y.shape == (4, 8) and z.shape == (4, 1) and Pad.pad == 0
    l = Lazy()
    t1, t2 = l.table(), l.table()
    l.width = 5
    t3 = l.table()
    Lazy.width = 7
    t4, t5 = l.table(), Lazy().table()
    assert [tuple(t.shape) for t in (t1, t2, t3, t4, t5)] == [(3, 1), (3, 2), (5, 3), (5, 4), (7, 1)]
    l.table = lambda: torch.ones(1)
    t6 = l.table()
    assert t6.shape == (1,)

    def wide(self) -> Tensor:
        return torch.zeros(self.width, 10)

    m = Lazy()
    m.table = types.MethodType(wide, m)
    t7 = m.table()
    Lazy.table = wide
    t8 = Lazy().table()
    assert t7.shape == t8.shape == (7, 10)
    F3, F5 = make_class(3), make_class(5)
    u, v = F3()(torch.randn(2, 3)), F5()(torch.randn(2, 5))
    Sub = type("Sub", (F3,), {"size": 8})
    w = Sub()(torch.randn(1, 8))
    assert u.shape == (2, 6) and v.shape == (2, 10) and w.shape == (1, 6)
    original = Base.after
    Base.after = lambda self, t: t.sum(1)
    s = Base(6)(x)
    Base.after = original
    r = Base(6)(x)
    assert s.shape == (4,) and r.shape == (4, 6)
    box = Typed(torch.zeros(3)).then(lambda t: t[None]).then(len).then(lambda n: torch.zeros(n, 9))
    g = box.get()
    h = Residual(6)
    h.forward = lambda x: x[:1]
    q = h(x)
    h.scale = 2.0
    assert g.shape == (1, 9) and q.shape == (1, 6)


# run: main()
