"""Late binding, factories, decorators that change shapes, partials and currying."""
from __future__ import annotations

import functools
import sys
from typing import Any, Callable, ParamSpec, TypeVar

import torch
from jaxtyping import Float
from torch import Tensor

P = ParamSpec("P")
R = TypeVar("R")


def unbatched(f: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Lets a function of batches take one item."""

    @functools.wraps(f)
    def inner(x: Tensor, *args: Any, **kw: Any) -> Tensor:
        return f(x[None], *args, **kw)[0]

    return inner


def repeated(n: int, dim: int = 0) -> Callable[[Callable[P, Tensor]], Callable[P, Tensor]]:
    def wrap(f: Callable[P, Tensor]) -> Callable[P, Tensor]:
        def inner(*args: P.args, **kwargs: P.kwargs) -> Tensor:
            return torch.cat([f(*args, **kwargs) for _ in range(n)], dim)

        return inner

    return wrap


def counted(f: Callable[P, R]) -> Callable[P, tuple[R, int]]:
    def inner(*a: P.args, **k: P.kwargs) -> tuple[R, int]:
        inner.calls += 1
        return f(*a, **k), inner.calls

    inner.calls = 0
    return inner


@unbatched
def pool(x: Float[Tensor, "b n d"], keep: bool = False) -> Tensor:
    return x.mean(1, keepdim=keep)


@repeated(3)
@unbatched
def project(x: Float[Tensor, "b n d"], w: Float[Tensor, "d k"]) -> Float[Tensor, "b n k"]:
    return x @ w


@counted
def outer_sum(a: Float[Tensor, "n"], b: Float[Tensor, "m"]) -> Float[Tensor, "n m"]:
    return a[:, None] + b


if sys.version_info >= (3, 0):

    def pick(x: Tensor) -> Tensor:
        return x[0]
else:

    def pick(x: Tensor) -> Tensor:
        return x[:, 0]


class memo:
    """A descriptor that computes once for each object."""

    def __init__(self, f):
        self.f = f

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, obj, owner=None):
        if obj is None:
            return self
        if self.name not in obj.__dict__:
            obj.__dict__[self.name] = self.f(obj)
        return obj.__dict__[self.name]


class Basis:
    def __init__(self, n: int):
        self.n = n

    @memo
    def matrix(self) -> Tensor:
        return torch.linspace(0, 1, self.n)[:, None] ** torch.arange(self.n // 2)

    def solve(self, y: Float[Tensor, "n *k"]) -> Tensor:
        return torch.linalg.lstsq(self.matrix, y.reshape(self.n, -1)).solution


def compose(*fs):
    return functools.reduce(lambda f, g: lambda x: g(f(x)), fs)


def main():
    fs = [lambda x: x[:k] for k in (1, 2, 3)]
    late = fs[0](torch.arange(5))
    gs = [lambda x, k=k: x[:k] for k in (1, 2, 3)]
    early = gs[0](torch.arange(5))
    k = 4
    h = lambda x: x.new_zeros(k)
    k = 6
    six = h(late)
    p = pool(torch.randn(5, 7))
    p1 = pool(torch.randn(5, 7), keep=True)
    q = project(torch.randn(2, 4), torch.randn(4, 6))
    (s, c1), (t, c2) = outer_sum(torch.ones(2), torch.ones(3)), outer_sum(torch.ones(4), torch.ones(1))
    basis = Basis(8)
    m = basis.matrix
    sol = basis.solve(torch.randn(8, 2, 3))
    pipe = compose(torch.Tensor.mT.__get__, lambda x: x.flatten(), functools.partial(torch.unsqueeze, dim=-1))
    col = pipe(torch.randn(3, 4))
    add = functools.partial(torch.cat, dim=1)
    wide = add([torch.zeros(2, 3), torch.zeros(2, 4)])
    tall = add([torch.zeros(2, 3), torch.zeros(5, 3)], dim=0)
    pad3 = functools.partialmethod
    total = functools.reduce(lambda acc, x: torch.cat([acc, acc[-1:] + x]), torch.ones(4), torch.zeros(1))
    applied = list(map(lambda f: f(torch.ones(2, 2)), [torch.trace, torch.ravel, torch.Tensor.t]))
    flat = applied[1]
    picked = pick(torch.zeros(2, 3))
    by_key = max([torch.zeros(2), torch.zeros(5), torch.zeros(3)], key=lambda v: v.numel())
    return late, early, six, p, p1, q, s, t, m, sol, col, wide, tall, total, flat, by_key, c1 + c2, pad3, picked


# run: main()
