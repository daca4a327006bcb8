"""Tensor subclasses and wrappers with __torch_function__: units, masked tensors, named axes."""
from __future__ import annotations

from typing import Any, Callable

import torch
from jaxtyping import Bool, Float
from torch import Tensor

HANDLED: dict[Callable[..., Any], Callable[..., Any]] = {}


def implements(*fns: Callable[..., Any]):
    def keep(handler):
        for fn in fns:
            HANDLED[fn] = handler
        return handler

    return keep


class Masked:
    """Not a tensor: torch's functions are intercepted."""

    def __init__(self, data: Float[Tensor, "*s"], mask: Bool[Tensor, "*s"]) -> None:
        self.data, self.mask = data, mask

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func not in HANDLED:
            return NotImplemented
        return HANDLED[func](*args, **(kwargs or {}))

    @property
    def shape(self) -> torch.Size:
        return self.data.shape

    def __getitem__(self, i: Any) -> "Masked":
        return Masked(self.data[i], self.mask[i])

    def __add__(self, other: Any) -> "Masked":
        return torch.add(self, other)

    __radd__ = __add__


@implements(torch.add)
def add(a, b):
    data = (a.data if isinstance(a, Masked) else a) + (b.data if isinstance(b, Masked) else b)
    mask = torch.ones(data.shape, dtype=torch.bool)
    for v in (a, b):
        if isinstance(v, Masked):
            mask &= v.mask
    return Masked(data, mask)


@implements(torch.sum)
def total(a, dim=None, keepdim=False):
    filled = a.data * a.mask
    return filled.sum() if dim is None else Masked(filled.sum(dim, keepdim), a.mask.any(dim, keepdim))


@implements(torch.mean)
def mean(a, dim):
    return Masked(total(a, dim).data / a.mask.sum(dim).clamp_min(1), a.mask.any(dim))


@implements(torch.cat)
def cat(items, dim=0):
    return Masked(torch.cat([i.data for i in items], dim), torch.cat([i.mask for i in items], dim))


class Unit(torch.Tensor):
    """A real subclass that carries a tag through every operator."""

    @staticmethod
    def __new__(cls, data, unit: str = "m"):
        t = torch.as_tensor(data).as_subclass(cls)
        t.unit = unit
        return t

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        out = super().__torch_function__(func, types, args, kwargs or {})
        unit = next((a.unit for a in args if isinstance(a, Unit) and hasattr(a, "unit")), "?")
        if func in (torch.Tensor.mul, torch.mul, torch.Tensor.__mul__):
            unit += "2"
        if isinstance(out, Unit):
            out.unit = unit
        return out


class Counter(torch.overrides.TorchFunctionMode):
    def __init__(self) -> None:
        super().__init__()
        self.calls: list[str] = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.calls.append(getattr(func, "__name__", "?"))
        return func(*args, **(kwargs or {}))


class Doubling(torch.overrides.TorchFunctionMode):
    """Makes every new tensor of zeros twice as long."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func is torch.zeros:
            args = (2 * args[0], *args[1:])
        return func(*args, **(kwargs or {}))


class Named:
    def __init__(self, data: Tensor, names: str) -> None:
        self.data, self.names = data, names.split()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("sum_"):
            axis = self.names.index(name.removeprefix("sum_"))
            left = [n for n in self.names if n != self.names[axis]]
            return lambda: Named(self.data.sum(axis), " ".join(left))
        if name in self.names:
            return self.data.shape[self.names.index(name)]
        raise AttributeError(name)

    def __matmul__(self, other: "Named") -> "Named":
        common = [n for n in self.names if n in other.names]
        letters = {n: chr(97 + i) for i, n in enumerate(dict.fromkeys(self.names + other.names))}
        out = [n for n in letters if n not in common]
        spec = ["".join(letters[n] for n in names) for names in (self.names, other.names, out)]
        return Named(torch.einsum(f"{spec[0]},{spec[1]}->{spec[2]}", self.data, other.data), " ".join(out))

    def order(self, names: str) -> Tensor:
        return self.data.permute([self.names.index(n) for n in names.split()])


def main() -> None:
    m = Masked(torch.randn(3, 4), torch.rand(3, 4) > 0.3)
    s = torch.sum(m, dim=1)
    n = torch.mean(m, 0)
    both = torch.cat([m, m + torch.ones(4)], dim=0)
    assert s.data.shape == (3,) and n.data.shape == (4,) and both.shape == (6, 4)
    t = torch.sum(both)
    row = both[0].data
    assert t.shape == () and row.shape == (4,)
    u = Unit(torch.randn(2, 3), "s")
    v = u * u
    w = v.sum(0)
    assert isinstance(w, Unit) and w.shape == (3,) and v.unit == "s2"
    with Counter() as c:
        y = torch.zeros(2, 3) @ torch.ones(3, 5)
    assert y.shape == (2, 5) and len(c.calls) >= 3
    with Doubling():
        z = torch.zeros(3)
        zz = torch.zeros(2, 5)
    assert z.shape == (6,) and zz.shape == (4, 5)
    a, b = Named(torch.randn(2, 3, 4), "batch time in"), Named(torch.randn(5, 4), "out in")
    d = (a @ b).order("out batch time")
    e = a.sum_time().order("in batch")
    assert d.shape == (5, 2, 3) and e.shape == (4, 2) and a.time == 3


# run: main()
