"""Module-level state that functions change, redefinitions, conditional definitions, monkeypatching."""
from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import torch
import torch.nn as nn
from jaxtyping import Float
from torch import Tensor

DIM = 4
BUFFER: list[Tensor] = []
CONFIG = {"width": 3, "layers": [4, 5]}
_cache: Tensor | None = None
FLAGS = SimpleNamespace(transpose=False, n=2)


def make() -> Float[Tensor, "n d"]:
    return torch.zeros(2, DIM)


before = make()
DIM = 6
after = make()


def set_dim(n: int) -> None:
    global DIM
    DIM = n


def cached(n: int) -> Tensor:
    global _cache
    if _cache is None or _cache.numel() < n:
        _cache = torch.arange(n)
    return _cache[:n]


def push(x: Tensor) -> Tensor:
    BUFFER.append(x)
    if len(BUFFER) > 2:
        BUFFER.pop(0)
    return torch.cat(BUFFER)


def view(x: Float[Tensor, "a b"]) -> Tensor:
    return x.T if FLAGS.transpose else x


def net() -> nn.Sequential:
    sizes = [CONFIG["width"], *CONFIG["layers"]]
    return nn.Sequential(*[nn.Linear(a, b) for a, b in zip(sizes, sizes[1:])])


if sys.version_info >= (3, 0):

    def pick(x: Tensor) -> Tensor:
        return x[0]
else:

    def pick(x: Tensor) -> Tensor:
        return x[:, 0]


def shape_of(x: Tensor) -> tuple[int, ...]:
    return tuple(x.shape)


def scaled(x, k=DIM):
    return x.new_zeros(k)


DIM = 9


class Settings:
    def __init__(self) -> None:
        self.sizes, self.inner = [3], SimpleNamespace(n=2)


settings = Settings()


def sized() -> Tensor:
    return torch.zeros(*settings.sizes, settings.inner.n)


class Model:
    size = 5

    def run(self) -> Tensor:
        return torch.zeros(self.size)

    def other(self) -> Tensor:
        return self.run().unsqueeze(0)


class Patched:
    def __init__(self, obj: Any, **attrs: Any):
        self.obj, self.attrs, self.old = obj, attrs, {}

    def __enter__(self):
        for k, v in self.attrs.items():
            self.old[k] = getattr(self.obj, k)
            setattr(self.obj, k, v)
        return self.obj

    def __exit__(self, *exc):
        for k, v in self.old.items():
            setattr(self.obj, k, v)


def main():
    nine = make()
    set_dim(7)
    seven = make()
    six = scaled(nine)
    c3, c10, c5 = cached(3), cached(10), cached(5)
    full = cached(1)
    whole = _cache
    a = push(torch.zeros(2))
    b = push(torch.zeros(3))
    c = push(torch.zeros(4))
    x = torch.zeros(2, 3)
    d = view(x)
    FLAGS.transpose = True
    e = view(x)
    CONFIG["layers"].append(8)
    CONFIG["width"] = 2
    f = net()(torch.zeros(1, 2))
    CONFIG.update(layers=[10], width=1)
    g = net()(torch.zeros(1, 1))
    h = pick(x)
    m = Model()
    i = m.run()
    with Patched(Model, size=8) as cls:
        j = m.run()
        k = cls().other()
    l = m.run()
    m.size = 3
    n = m.other()
    Model.run = lambda self: torch.zeros(2, self.size)
    o = m.other()
    m.run = lambda: torch.zeros(1)
    p = m.other()
    old = torch.nn.functional.relu
    try:
        torch.nn.functional.relu = lambda t: t[:1]
        q = torch.nn.functional.relu(x)
    finally:
        torch.nn.functional.relu = old
    r = globals()["make"]()
    s = locals()["x"].T
    vars(m)["size"] = 12
    t = Model.run(m)
    settings.sizes.append(1)
    settings.inner.n = 5
    y = sized()
    exec_ns: dict[str, Any] = {}
    exec("y = [1, 2, 3]", exec_ns)
    u = torch.tensor(exec_ns["y"])
    v = eval("x.sum(0)")
    FLAGS.n = 6
    w = torch.zeros(FLAGS.n)
    return before, after, nine, seven, six, c3, c10, c5, full, whole, a, b, c, d, e, f, g, h, i, j, k, l, n, o, p, q, r, s, t, u, v, w, y


# run: main()
