"""Histories that grow, double, wrap and shrink: reservoirs, priority trees, sliding statistics, sparse logs."""
from __future__ import annotations

import bisect
import math
import random
from typing import Any, Iterator, MutableSequence

import torch
from jaxtyping import Float, Int
from torch import Tensor


class Growing:
    """Doubles its storage; ``data`` is the part in use."""

    def __init__(self, width: int, capacity: int = 2) -> None:
        self._store = torch.empty(capacity, width)
        self._n = 0

    @property
    def data(self) -> Float[Tensor, "n w"]:
        return self._store[: self._n]

    @data.setter
    def data(self, value: Float[Tensor, "n w"]) -> None:
        self._store = value.clone()
        self._n = len(value)

    @data.deleter
    def data(self) -> None:
        self._n = 0

    def append(self, row: Float[Tensor, " w"]) -> "Growing":
        if self._n == self._store.shape[0]:
            bigger = self._store.new_empty(2 * self._n, self._store.shape[1])
            bigger[: self._n] = self._store
            self._store = bigger
        self._store[self._n] = row
        self._n += 1
        return self

    def extend(self, rows: Float[Tensor, "m w"]) -> None:
        for row in rows:
            self.append(row)

    __iadd__ = append

    def __len__(self) -> int:
        return self._n


class SumTree:
    def __init__(self, capacity: int) -> None:
        self.leaves = 1 << (capacity - 1).bit_length()
        self.tree = torch.zeros(2 * self.leaves)

    def set(self, idx: Int[Tensor, " k"], value: Float[Tensor, " k"]) -> None:
        node = idx + self.leaves
        self.tree[node] = value
        while (node := node // 2).min() >= 1:
            node = node.unique()
            self.tree[node] = self.tree[2 * node] + self.tree[2 * node + 1]

    def find(self, mass: Float[Tensor, " k"]) -> Int[Tensor, " k"]:
        node = torch.ones_like(mass, dtype=torch.long)
        while int(node[0]) < self.leaves:
            left = self.tree[2 * node]
            right = mass >= left
            mass = mass - left * right
            node = 2 * node + right
        return node - self.leaves

    def level(self, depth: int) -> Tensor:
        return self.tree[2**depth : 2 ** (depth + 1)]


class Welford:
    def __init__(self) -> None:
        self.n: int = 0
        self.mean: Tensor | float = 0.0
        self.m2: Tensor | float = 0.0

    def __call__(self, x: Float[Tensor, "b *s"]) -> "Welford":
        for row in x:
            self.n += 1
            delta = row - self.mean
            self.mean = self.mean + delta / self.n
            self.m2 = self.m2 + delta * (row - self.mean)
        return self

    @property
    def std(self) -> Tensor:
        assert isinstance(self.m2, Tensor)
        return (self.m2 / max(self.n - 1, 1)).sqrt()

    def __or__(self, other: "Welford") -> "Welford":
        out = Welford()
        out.n = self.n + other.n
        delta = other.mean - self.mean
        out.mean = self.mean + delta * other.n / out.n
        out.m2 = self.m2 + other.m2 + delta**2 * self.n * other.n / out.n
        return out


class Log(MutableSequence):
    """A list of tensors by step; gaps are filled when it is read densely."""

    def __init__(self) -> None:
        self.steps: list[int] = []
        self.values: list[Tensor] = []

    def __getitem__(self, i):
        if isinstance(i, slice):
            return torch.stack(self.values[i])
        return self.values[i]

    def __setitem__(self, i, v):
        self.values[i] = v

    def __delitem__(self, i):
        del self.steps[i], self.values[i]

    def __len__(self):
        return len(self.values)

    def insert(self, i, v):
        self.steps.insert(i, i)
        self.values.insert(i, v)

    def at(self, step: int, v: Tensor) -> None:
        i = bisect.bisect(self.steps, step)
        self.steps.insert(i, step)
        self.values.insert(i, v)

    def dense(self) -> Tensor:
        out, last = [], self.values[0]
        for step in range(self.steps[-1] + 1):
            if step in self.steps:
                last = self.values[self.steps.index(step)]
            out.append(last)
        return torch.stack(out)


def reservoir(stream: Iterator[Tensor], k: int) -> list[Tensor]:
    kept: list[Tensor] = []
    for i, item in enumerate(stream):
        if len(kept) < k:
            kept.append(item)
        elif (j := random.randint(0, i)) < k:
            kept[j] = item
    return kept


def main() -> None:
    g = Growing(3)
    for i in range(5):
        g.append(torch.full((3,), float(i)))
    a = g.data
    g += torch.ones(3)
    g.extend(torch.zeros(4, 3))
    b = g.data
    assert a.shape == (5, 3) and b.shape == (10, 3) and g._store.shape == (16, 3)
    g.data = b[b.sum(1) > 0][:2]
    c = g.data
    del g.data
    d = g.data
    assert c.shape == (2, 3) and d.shape == (0, 3)
    t = SumTree(5)
    t.set(torch.arange(5), torch.rand(5) + 0.1)
    i = t.find(torch.rand(7) * t.tree[1])
    lvl = t.level(2)
    assert i.shape == (7,) and t.tree.shape == (16,) and lvl.shape == (4,) and i.max() < 5
    w = Welford()(torch.randn(6, 2, 2))
    v = w | Welford()(torch.randn(3, 2, 2))
    s, m = v.std, v.mean
    scalar = Welford()(torch.randn(4)).std
    assert s.shape == m.shape == (2, 2) and scalar.shape == ()
    log = Log()
    log.at(4, torch.zeros(2))
    log.at(1, torch.ones(2))
    log.append(torch.full((2,), 9.0))
    last = log.pop()
    first = log[0]
    log[0] = first * 2
    e, f = log[:], log[-1]
    log.at(0, torch.ones(2))
    h = log.dense()
    assert last.shape == (2,) and e.shape == (2, 2) and f.shape == (2,) and h.shape == (5, 2)
    kept = reservoir((torch.randn(4) for _ in range(20)), 6)
    r = torch.stack(kept)
    assert r.shape == (6, 4)


# run: main()
