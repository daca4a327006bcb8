"""What outlives a call: caches, globals, cached properties, contexts that set something back, patched packages."""

import functools
from contextlib import contextmanager
from functools import cached_property, lru_cache, wraps

import torch
import torch.nn.functional as F
from torch import Tensor

STATE = {"n": 2}
TABLE = torch.zeros(2, 2)


@lru_cache(maxsize=None)
def table(n: int) -> Tensor:
    return torch.zeros(n, 3)


@functools.cache
def kept() -> list:
    return [torch.zeros(2)]


@lru_cache
def settings():
    return {"w": torch.zeros(4)}


def caches():
    table(2).resize_(5, 3)
    a = table(2) + torch.zeros(5, 3)
    kept().append(torch.zeros(3))
    b = torch.cat(kept()) + torch.zeros(5)
    settings()["w"] = torch.zeros(7)
    c = settings()["w"] + torch.zeros(7)
    return a, b, c


def counted():
    STATE["n"] += 1
    return torch.zeros(STATE["n"])


def names_of_the_module():
    counted()
    a = counted() + torch.zeros(4)
    TABLE.resize_(3, 3)
    b = TABLE + torch.zeros(3, 3)
    return a, b


class Data:
    def __init__(self, n):
        self.n = n
        self.rows = torch.zeros(2, 3)

    @cached_property
    def grid(self):
        return torch.zeros(self.n, self.n)

    def shrink(self):
        self.rows.resize_(1, 3)

    def read(self):
        out = self.rows
        return out


def properties():
    d = Data(3)
    a = d.grid + torch.zeros(3, 3)
    d.n = 5
    b = d.grid + torch.zeros(3, 3)
    del d.grid
    c = d.grid + torch.zeros(5, 5)
    d.shrink()
    e = d.read() + torch.zeros(1, 3)
    return a, b, c, e


def once(fn):
    result = None

    @wraps(fn)
    def inner(*args, **kwargs):
        nonlocal result
        if result is None:
            result = fn(*args, **kwargs)
        return result

    return inner


@once
def made(n):
    return torch.zeros(n, 2)


@contextmanager
def swapped(obj, name, value):
    old = getattr(obj, name)
    setattr(obj, name, value)
    try:
        yield old
    finally:
        setattr(obj, name, old)


def contexts():
    a = made(3)
    b = made(8) + torch.zeros(3, 2)
    d = Data(3)
    with swapped(d, "n", 5) as old:
        c = torch.zeros(d.n, old) + torch.zeros(5, 3)
    e = torch.zeros(d.n) + torch.zeros(3)
    return a, b, c, e


def patched():
    original = F.relu
    F.relu = lambda x: x[:1]
    a = F.relu(torch.zeros(4)) + torch.zeros(1)
    F.relu = original
    torch.set_default_dtype(torch.float64)
    b = torch.zeros(2) @ torch.zeros(2, dtype=torch.float64)
    torch.set_default_dtype(torch.float32)
    return a, b


# run: caches()
# run: names_of_the_module()
# run: properties()
# run: contexts()
# run: patched()
