"""Closures, partials, decorators and higher-order functions over tensors."""
from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial, reduce
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

import torch
from jaxtyping import Float, Int
from torch import Tensor

P = ParamSpec("P")
R = TypeVar("R")
A = TypeVar("A")
B = TypeVar("B")

VecFn = Callable[[Float[Tensor, "n"]], Float[Tensor, ""]]
Layer = Callable[[Float[Tensor, "b i"]], Float[Tensor, "b o"]]


def counted(fn: Callable[P, R]) -> Callable[P, R]:
    calls = 0

    @functools.wraps(fn)
    def inner(*args: P.args, **kwargs: P.kwargs) -> R:
        nonlocal calls
        calls += 1
        return fn(*args, **kwargs)

    return inner


def scaled(factor: float) -> Callable[[Callable[P, Tensor]], Callable[P, Tensor]]:
    def deco(fn: Callable[P, Tensor]) -> Callable[P, Tensor]:
        @functools.wraps(fn)
        def inner(*args: P.args, **kwargs: P.kwargs) -> Tensor:
            return factor * fn(*args, **kwargs)

        return inner

    return deco


def pipe(*fns: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    def run(x: Tensor) -> Tensor:
        return reduce(lambda acc, fn: fn(acc), fns, x)

    return run


@counted
def quadratic(x: Float[Tensor, "n"], a: Float[Tensor, "n n"], b: Float[Tensor, "n"]) -> Float[Tensor, ""]:
    return 0.5 * x @ a @ x - b @ x


@scaled(0.5)
def energy(x: Float[Tensor, "n d"]) -> Float[Tensor, "n"]:
    return x.square().sum(-1)


def make_quadratic(a: Float[Tensor, "n n"], b: Float[Tensor, "n"]) -> VecFn:
    return lambda x: quadratic(x, a, b)


def gradient_descent(f: VecFn, x: Float[Tensor, "n"], lr: float, steps: int) -> Float[Tensor, "n"]:
    g = torch.func.grad(f)
    for _ in range(steps):
        x = x - lr * g(x)
    return x


def newton(f: VecFn, x: Float[Tensor, "n"], steps: int) -> Float[Tensor, "n"]:
    grad, hess = torch.func.grad(f), torch.func.hessian(f)
    for _ in range(steps):
        x = x - torch.linalg.solve(hess(x), grad(x))
    return x


def make_rotation(angle: Float[Tensor, ""]) -> Callable[[Float[Tensor, "n 2"]], Float[Tensor, "n 2"]]:
    c, s = angle.cos(), angle.sin()
    rot = torch.stack([torch.stack([c, -s]), torch.stack([s, c])])

    def apply(p: Float[Tensor, "n 2"]) -> Float[Tensor, "n 2"]:
        return p @ rot.T

    return apply


def make_standardiser(train: Float[Tensor, "n d"]) -> tuple[Callable[[Float[Tensor, "m d"]], Float[Tensor, "m d"]], Callable[[Float[Tensor, "m d"]], Float[Tensor, "m d"]]]:
    mean, std = train.mean(0), train.std(0) + 1e-6

    def forward(x: Float[Tensor, "m d"]) -> Float[Tensor, "m d"]:
        return (x - mean) / std

    def inverse(z: Float[Tensor, "m d"]) -> Float[Tensor, "m d"]:
        return z * std + mean

    return forward, inverse


def roundtrip(train: Float[Tensor, "n d"], test: Float[Tensor, "m d"]) -> Float[Tensor, "m d"]:
    f, g = make_standardiser(train)
    return g(f(test))


def kernel_matrix(k: Callable[[Float[Tensor, "d"], Float[Tensor, "d"]], Float[Tensor, ""]], x: Float[Tensor, "n d"], y: Float[Tensor, "m d"]) -> Float[Tensor, "n m"]:
    return torch.vmap(lambda a: torch.vmap(lambda b: k(a, b))(y))(x)


def polynomial(a: Float[Tensor, "d"], b: Float[Tensor, "d"], degree: int = 2) -> Float[Tensor, ""]:
    return (1 + a @ b) ** degree


class Registry(Generic[A]):
    def __init__(self) -> None:
        self._items: dict[str, A] = {}

    def add(self, name: str) -> Callable[[A], A]:
        def deco(item: A) -> A:
            self._items[name] = item
            return item

        return deco

    def __getitem__(self, name: str) -> A:
        return self._items[name]


METRICS: Registry[Callable[[Float[Tensor, "n d"], Float[Tensor, "n d"]], Float[Tensor, "n"]]] = Registry()


@METRICS.add("l2")
def l2(a: Float[Tensor, "n d"], b: Float[Tensor, "n d"]) -> Float[Tensor, "n"]:
    return (a - b).norm(dim=-1)


@METRICS.add("cos")
def cos(a: Float[Tensor, "n d"], b: Float[Tensor, "n d"]) -> Float[Tensor, "n"]:
    return 1 - torch.cosine_similarity(a, b, dim=-1)


def evaluate(names: Iterable[str], a: Float[Tensor, "n d"], b: Float[Tensor, "n d"]) -> dict[str, float]:
    return {name: float(METRICS[name](a, b).mean()) for name in names}


@overload
def batched(fn: Callable[[Float[Tensor, "d"]], Float[Tensor, "k"]], x: Float[Tensor, "n d"]) -> Float[Tensor, "n k"]: ...
@overload
def batched(fn: Callable[[Float[Tensor, "d"]], Float[Tensor, "k"]], x: Float[Tensor, "d"]) -> Float[Tensor, "k"]: ...
def batched(fn, x):
    return torch.stack([fn(row) for row in x]) if x.ndim == 2 else fn(x)


def main() -> None:
    a, b = torch.eye(3) * 2, torch.ones(3)
    f = make_quadratic(a, b)
    x0 = torch.zeros(3)
    assert torch.allclose(gradient_descent(f, x0, 0.1, 200), newton(f, x0, 1), atol=1e-3)
    pts = torch.randn(5, 2)
    quarter = make_rotation(torch.tensor(torch.pi / 2))
    full = pipe(quarter, quarter, quarter, quarter)
    assert torch.allclose(full(pts), pts, atol=1e-5)
    gram = kernel_matrix(partial(polynomial, degree=3), pts, pts[:4])
    roundtrip(pts, pts[:2])
    evaluate(["l2", "cos"], pts, pts + 1)
    sizes = list(map(operator.attrgetter("shape"), [pts, gram]))
    total = sum(energy(p).sum() for p in (pts, gram))
    y = batched(lambda v: torch.cat([v, v]), pts)
    z = batched(lambda v: torch.cat([v, v]), pts[0])
    assert y.shape[1] == z.shape[0] == 4 and len(sizes) == 2 and total > 0


# run: main()
