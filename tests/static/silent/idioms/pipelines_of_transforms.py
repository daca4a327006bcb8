"""Transforms composed from strings, class decorators, plugins, lazily built stages, and typed containers."""
from __future__ import annotations

import functools
import inspect
import re
from typing import Any, Callable, ClassVar, Generic, TypeVar, Union

import torch
import torch.nn as nn
from jaxtyping import Float
from torch import Tensor

T = TypeVar("T", bound="Transform")
REGISTRY: dict[str, type[Transform]] = {}


def register(name: str | None = None):
    def deco(cls):
        REGISTRY[name or cls.__name__.lower()] = cls
        cls.label = name
        return cls

    return deco


def auto_repr(cls):
    params = list(inspect.signature(cls.__init__).parameters)[1:]
    cls.__repr__ = lambda self: f"{cls.__name__}({', '.join(f'{p}={getattr(self, p)!r}' for p in params)})"
    return cls


class Transform:
    label: ClassVar[str | None] = None

    def __call__(self, x: Tensor) -> Tensor:
        return x

    def __or__(self, other: Transform) -> Pipeline:
        return Pipeline([self, other])

    def __mul__(self, n: int) -> Pipeline:
        return Pipeline([self] * n)


class Pipeline(Transform):
    def __init__(self, stages: list[Transform]):
        self.stages = stages

    def __call__(self, x):
        return functools.reduce(lambda v, s: s(v), self.stages, x)

    def __or__(self, other):
        return Pipeline([*self.stages, *(other.stages if isinstance(other, Pipeline) else [other])])

    def __getitem__(self, i):
        return Pipeline(self.stages[i]) if isinstance(i, slice) else self.stages[i]

    def __len__(self):
        return len(self.stages)

    @classmethod
    def parse(cls, text: str) -> Pipeline:
        stages = []
        for name, args in re.findall(r"(\w+)(?:\(([\d,\s-]*)\))?", text):
            stages.append(REGISTRY[name](*(int(a) for a in args.split(",") if a.strip())))
        return cls(stages)


@register()
@auto_repr
class Crop(Transform):
    def __init__(self, size: int, start: int = 0):
        self.size, self.start = size, start

    def __call__(self, x: Float[Tensor, "*b n"]) -> Tensor:
        return x[..., self.start : self.start + self.size]


@register("t")
class Transpose(Transform):
    def __init__(self, a: int = -2, b: int = -1):
        self.dims = (a, b)

    def __call__(self, x):
        return x.transpose(*self.dims)


@register()
class Pad(Transform):
    def __init__(self, left: int, right: int | None = None):
        self.pad = (left, left if right is None else right)

    def __call__(self, x):
        return nn.functional.pad(x, self.pad)


@register()
class Fold(Transform):
    def __init__(self, k: int):
        self.k = k

    def __call__(self, x: Float[Tensor, "*b n"]) -> Tensor:
        n = x.shape[-1]
        if n % self.k:
            x = (Pad(0, -n % self.k) | self)(x)
            return x
        return x.unflatten(-1, (self.k, -1)).mean(-2)


class Lazy(Generic[T]):
    def __init__(self, make: Callable[[], T]):
        self.make, self.value = make, None

    def __getattr__(self, name: str) -> Any:
        if self.__dict__.get("value") is None:
            self.value = self.make()
        return getattr(self.value, name)

    def __call__(self, *args):
        if self.value is None:
            self.value = self.make()
        return self.value(*args)


class Branch(Transform):
    def __init__(self, *ways: Union[Transform, Callable[[Tensor], Tensor]], dim: int = -1):
        self.ways, self.dim = ways, dim

    def __call__(self, x):
        return torch.cat([w(x) for w in self.ways], self.dim)


class Cond(Transform):
    def __init__(self, when: Callable[[Tensor], bool], then: Transform, other: Transform = Transform()):
        self.when, self.then, self.other = when, then, other

    def __call__(self, x):
        return (self.then if self.when(x) else self.other)(x)


def main():
    x = torch.zeros(3, 10)
    p = Pipeline.parse("crop(7, 1) | t | pad(2, 3) | fold(4)")
    a = p(x)
    b = p[:2](x)
    c = p[1](x)
    d = (Crop(8) | Transpose() | Crop(2))(x)
    e = (Pad(1) * 3)(x)
    f = Branch(Crop(2), Crop(3, 4), lambda v: v * 2)(x)
    g = Branch(Transform(), Pad(0), dim=0)(x)
    h = Cond(lambda v: v.shape[-1] > 5, Crop(5))(x)
    i = Cond(lambda v: v.shape[-1] > 50, Crop(5))(x)
    lazy = Lazy(lambda: Fold(5))
    j = lazy(x)
    k = lazy.k
    l = torch.zeros(len(p), len(REGISTRY))
    nested = (p | Pad(1)) | (Crop(4) | Crop(2))
    m = nested(x)
    fns = [functools.partial(Crop, size=s)() for s in (2, 4, 6)]
    n = [fn(x) for fn in fns][1]
    o = sorted(fns, key=lambda t: -t.size)[0](x)
    return a, b, c, d, e, f, g, h, i, j, l, m, n, o, k


# run: main()
