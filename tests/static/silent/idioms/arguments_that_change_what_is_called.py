"""An argument changes the object whose method is called with it, or that is passed before it."""

import torch
from torch import nn, Tensor


class U(nn.Module):
    def __init__(self):
        super().__init__()
        self.skips = []
        self.n = 1
        self.buf = torch.zeros(2)
    def encode(self, x):
        self.skips = [x, x[:, :2]]
        self.n = x.shape[1]
        self.buf = torch.cat([self.buf, torch.zeros(1)])
        return x.sum(1)
    def decode(self, y):
        a, b = self.skips
        return y[:, None] * a
    def sized(self, y):
        return torch.zeros(self.n, len(self.buf))
    def forward(self, x):
        return self.decode(self.encode(x))


def a():
    u = U()
    y = u.decode(u.encode(torch.zeros(2, 3)))
    assert y.shape == (2, 3)
    u = U()
    z = u.sized(u.encode(torch.zeros(2, 3)))
    assert z.shape == (3, 3)
    w = u(torch.zeros(4, 7))
    v = u.sized(None)
    assert w.shape == (4, 7) and v.shape == (7, 4)


def b():
    sizes = [4, 5, 6]
    sizes.insert(0, sizes.pop())
    x = torch.zeros(sizes)
    assert x.shape == (6, 4, 5)
    d = {"a": torch.zeros(1)}
    d.update({"b": d.pop("a")})
    k = sorted(d)
    y = d["b"]
    n = len(d)
    z = torch.zeros(n)
    assert z.shape == (1,) and y.shape == (1,)
    sizes.append(sizes.pop(0))
    x = torch.zeros(sizes)
    assert x.shape == (4, 5, 6)
    sizes.extend([sizes.pop(), sizes.pop()])
    x = torch.zeros(sizes)
    assert x.shape == (4, 6, 5)


def both(xs, n):
    return torch.zeros(len(xs), n)


def c():
    xs = [1, 2, 3]
    x = both(xs, xs.pop())
    assert x.shape == (2, 3)
    y = torch.zeros(xs.pop(), len(xs))
    assert y.shape == (2, 1)
    z = both(n=xs.pop(), xs=xs)
    assert z.shape == (0, 1)
    t = torch.zeros(2, 3)
    w = torch.add(t, t.t_()[:, :1]) if False else t
    xs = [5]
    xs.append(6)


class Tok:
    def __init__(self): self.pos = 0; self.seen = torch.zeros(0)
    def next(self, n):
        self.pos += n
        self.seen = torch.cat([self.seen, torch.zeros(n)])
        return n
    def take(self, a, b):
        return torch.zeros(self.pos, a + b)


def d():
    t = Tok()
    x = t.take(t.next(2), t.next(3))
    assert x.shape == (5, 5)
    y = t.seen
    assert y.shape == (5,)


def e():
    s = nn.Sequential(nn.Linear(2, 3))
    s.append(nn.Linear(s[0].out_features, 4))
    y = s(torch.zeros(1, 2))
    assert y.shape == (1, 4)
    x = torch.zeros(2, 3)
    z = x + x.resize_(3, 3)
    assert z.shape == (3, 3)
    w = torch.zeros(2)
    v = torch.cat([w, w.resize_(4)])
    assert v.shape == (8,)


for fn in (a, b, c, d, e): fn()

# run: None
