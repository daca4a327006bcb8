"""Loops left early, arrays, indices and layers put in another's place, in fourteen functions."""
from __future__ import annotations
import copy, functools, itertools, operator, random, weakref, types, collections, contextlib, enum, math
from dataclasses import dataclass, field, replace
from typing import Any, Callable, Iterator, NamedTuple, Optional
import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn


def f17():
    try:
        x = torch.zeros(2, 3)
        x = x.view(4, 2)
    except RuntimeError:
        x = x.view(6)
    else:
        x = x[0]
    finally:
        x = x + 1
    assert x.shape == (6,)
    for attempt in range(3):
        try:
            y = torch.zeros(2 ** attempt, 4).view(2, 8)
            break
        except RuntimeError:
            continue
    else:
        y = torch.zeros(1)
    assert y.shape == (2, 8) and attempt == 2


def f18(k: int = 3):
    x = torch.zeros(8)
    while k > 0:
        k -= 1
        if k == 1:
            x = x.view(2, 4)
            continue
        if x.ndim == 2:
            x = x.sum(0)
            break
        x = torch.cat([x, x])[: 8]
    else:
        x = x.view(1, -1)
    assert x.shape == (4,)


def f19():
    x: Any = torch.zeros(3)
    x = x.numpy()
    x = x.reshape(1, 3).repeat(2, axis=0)
    x = torch.from_numpy(x)
    y = torch.as_tensor(np.stack([np.zeros(3)] * 2))
    z = x @ y.T.float()
    assert z.shape == (2, 2)
    w = np.concatenate([x.numpy(), y.numpy()], 1)
    v = np.r_[1:4, 0, 4]
    u = w[..., None, :]
    t = np.tile(w, (2, 1, 1))
    s = np.expand_dims(w, (0, 2))
    assert w.shape == (2, 6) and v.shape == (5,) and u.shape == (2, 1, 6) and t.shape == (2, 2, 6) and s.shape == (1, 2, 1, 6)
    i, j = np.triu_indices(4, 1)
    k = np.ix_([0, 1], [2, 3, 4])
    r = w[k]
    assert i.shape == (6,) and r.shape == (2, 3)


def f20():
    x = torch.zeros(4, 5, 6)
    i = (slice(None), 0)
    j = (..., slice(0, 2))
    k = [0, 2]
    m = torch.tensor([True, False, True, True])
    a, b, c, d = x[i], x[j], x[k], x[m]
    e = x[:, k, :][..., [1]]
    f = x[m, :, k[0]]
    g = x[None, ..., None, 0]
    h = x[[0, 1], [1, 2]]
    n = x[0, [1, 2, 3], ::2]
    o = x[:, None, [0, 1], 2]
    p = x[torch.tensor([[0, 1], [2, 3]])]
    q = x[..., -1:, 2:-1]
    r = x[[[0], [1]], [0, 1, 2]]
    s = x[:, [0, 1], :, None][:, :, ::3]
    assert a.shape == (4, 6) and b.shape == (4, 5, 2) and c.shape == (2, 5, 6) and d.shape == (3, 5, 6)
    assert e.shape == (4, 2, 1) and f.shape == (3, 5) and g.shape == (1, 4, 5, 1) and h.shape == (2, 6)
    assert n.shape == (3, 3) and o.shape == (4, 1, 2) and p.shape == (2, 2, 5, 6) and q.shape == (4, 1, 3)
    assert r.shape == (2, 3, 6) and s.shape == (4, 2, 2, 1)


def f21():
    d = collections.defaultdict(list)
    for i in range(5):
        d[i % 2].append(torch.zeros(i + 1))
    a = torch.cat(d[0])
    b = torch.cat(d[1])
    assert a.shape == (9,) and b.shape == (6,)
    c = {k: torch.cat(v) for k, v in d.items()}
    e = c[1]
    assert e.shape == (6,)
    f = d[7]
    assert f == [] and len(d) == 3


def f22():
    s = {1, 2, 3}
    x = torch.zeros(len(s))
    s.add(3)
    y = torch.zeros(len(s))
    s |= {4, 5}
    z = torch.zeros(len(s))
    assert x.shape == (3,) and y.shape == (3,) and z.shape == (5,)
    t = frozenset([1, 1, 2])
    w = torch.zeros(len(t))
    assert w.shape == (2,)
    l = len({"a", "b"} & {"b"})
    v = torch.zeros(l)
    assert v.shape == (1,)


def f23():
    word = "hello world"
    x = torch.zeros(len(word.split()), len(word))
    y = torch.zeros(word.count("o"), len(set(word)))
    z = torch.zeros(len(word.replace("l", "")))
    w = torch.zeros(len(f"{x.shape[0]:03d}"))
    v = torch.tensor([ord(c) for c in word])
    u = torch.zeros(int("12"), int("0b11", 2), int(3.9))
    assert x.shape == (2, 11) and y.shape == (2, 8) and z.shape == (8,) and w.shape == (3,) and v.shape == (11,)
    assert u.shape == (12, 3, 3)


def f24():
    x = torch.zeros(2, 3)
    if (n := x.shape[0]) > 1 and (m := n * 2) > 3:
        y = torch.zeros(n, m)
    z = torch.zeros(m, n) @ x
    assert y.shape == (2, 4) and z.shape == (4, 3)
    out = [w for i in range(4) if len(w := torch.zeros(i)) > 1]
    assert len(out) == 2 and w.shape == (3,)
    total = [acc := torch.zeros(1)] and [acc := torch.cat([acc, acc]) for _ in range(3)][-1]
    assert total.shape == (8,) and acc.shape == (8,)


def f25():
    lin = nn.Linear(3, 4)
    lin2 = copy.deepcopy(lin)
    lin2.weight = nn.Parameter(torch.zeros(7, 3))
    lin2.bias = None
    a, b = lin(torch.zeros(2, 3)), lin2(torch.zeros(2, 3))
    seq = nn.Sequential(lin, nn.ReLU())
    seq[0] = nn.Linear(3, 9)
    c = seq(torch.zeros(1, 3))
    seq.insert(0, nn.Linear(2, 3))
    d = seq(torch.zeros(1, 2))
    del seq[1]
    e = seq(torch.zeros(1, 2))
    seq.extend([nn.Linear(3, 5)])
    f = seq(torch.zeros(1, 2))
    g = seq[:1](torch.zeros(1, 2))
    h = (seq + nn.Sequential(nn.Linear(5, 6)))(torch.zeros(1, 2))
    i = nn.Sequential(*seq, nn.Linear(5, 8))(torch.zeros(1, 2))
    assert a.shape == (2, 4) and b.shape == (2, 7) and c.shape == (1, 9) and d.shape == (1, 9) and e.shape == (1, 3)
    assert f.shape == (1, 5) and g.shape == (1, 3) and h.shape == (1, 6) and i.shape == (1, 8)


def f26():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleDict({"a": nn.Linear(2, 3), "b": nn.Linear(3, 4)})
            self.order = ["a", "b"]

        def forward(self, x):
            for k in self.order:
                x = self.layers[k](x)
            return x

    m = M()
    a = m(torch.zeros(1, 2))
    m.order.append("c")
    m.layers["c"] = nn.Linear(4, 7)
    b = m(torch.zeros(1, 2))
    m.order = ["b"]
    c = m(torch.zeros(1, 3))
    m.layers.pop("a")
    m.layers.update({"b": nn.Linear(3, 9)})
    d = m(torch.zeros(1, 3))
    assert a.shape == (1, 4) and b.shape == (1, 7) and c.shape == (1, 4) and d.shape == (1, 9)


def f27():
    @dataclass
    class P:
        w: int = 2
        shape: tuple[int, int] = field(init=False)
        t: Tensor = field(default_factory=lambda: torch.zeros(1))

        def __post_init__(self):
            self.shape = (self.w, 2 * self.w)
            if self.w > 2:
                self.t = torch.zeros(*self.shape)

    a, b = P(), P(3)
    c = replace(b, w=5)
    x, y, z = a.t, b.t, c.t
    assert x.shape == (1,) and y.shape == (3, 6) and z.shape == (5, 10)
    d = replace(a, t=torch.zeros(4))
    u = d.t
    v = torch.zeros(d.shape)
    assert u.shape == (4,) and v.shape == (2, 4)


def f28():
    class N(NamedTuple):
        a: Tensor
        b: int = 3

    n = N(torch.zeros(2))
    m = n._replace(a=torch.zeros(n.b))
    x, k = m
    y = m[0]
    z = torch.zeros(*map(int, (m.b, k)))
    d = m._asdict()
    w = d["a"]
    o = N(*[torch.zeros(5), 1])
    p = o + (torch.zeros(7),)
    v = p[2]
    assert x.shape == (3,) and y.shape == (3,) and z.shape == (3, 3) and w.shape == (3,) and v.shape == (7,)


def f29():
    x = torch.zeros(3, 4)
    out = torch.empty(0)
    torch.matmul(x, x.T, out=out)
    assert out.shape == (3, 3)
    torch.stack([x, x], out=out)
    assert out.shape == (2, 3, 4)
    v, i = torch.empty(0), torch.empty(0, dtype=torch.long)
    torch.sort(x, dim=1, out=(v, i))
    assert v.shape == (3, 4)
    torch.arange(5, out=out)
    assert out.shape == (5,)
    y = torch.zeros(2, 2)
    z = torch.add(y, 1, out=y)
    assert z is y


def f30():
    x = torch.zeros(2, 3, requires_grad=True)
    y = (x * 2).sum()
    y.backward()
    g = x.grad
    assert g is not None and g.shape == (2, 3)
    x.grad = None
    with torch.no_grad():
        x.resize_(3, 3) if False else None
    h = torch.autograd.functional.jacobian(lambda t: t @ torch.zeros(3, 5), torch.zeros(2, 3))
    assert h.shape == (2, 5, 2, 3)
    k = torch.autograd.functional.hessian(lambda t: t.pow(2).sum(), torch.zeros(4))
    assert k.shape == (4, 4)
    l = torch.func.jacfwd(torch.sin)(torch.zeros(3))
    m = torch.func.vmap(torch.func.jacrev(lambda t: t.outer(t)))(torch.zeros(7, 2))
    assert l.shape == (3, 3) and m.shape == (7, 2, 2, 2)


def main():
    for k, f in list(globals().items()):
        if k.startswith("f") and k[1:].isdigit():
            f()


# run: main()
