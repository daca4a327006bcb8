"""Context managers put something else in place, and put it back at their end."""

import torch
from contextlib import contextmanager
from torch import nn, Tensor


@contextmanager
def widened(m):
    old = m.fc
    m.fc = nn.Linear(8, 2)
    yield m
    m.fc = old


@contextmanager
def widened2(m, **kw):
    before = {k: getattr(m, k) for k in kw}
    for k, v in kw.items():
        setattr(m, k, v)
    try:
        yield
    finally:
        for k, v in before.items():
            setattr(m, k, v)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
        self.scale = torch.ones(3)
    def forward(self, x):
        return self.fc(x) * self.scale[:1]
    @contextmanager
    def using(self, fc):
        old, self.fc = self.fc, fc
        yield self
        self.fc = old


class Swap:
    def __init__(self, m, fc):
        self.m, self.fc = m, fc
    def __enter__(self):
        self.old = self.m.fc
        self.m.fc = self.fc
        return self.m
    def __exit__(self, *a):
        self.m.fc = self.old


def a():
    net = Net()
    with widened(net) as n:
        x = n(torch.zeros(1, 8))
    y = net(torch.zeros(1, 4))
    assert x.shape == (1, 2) and y.shape == (1, 3)


def b():
    net = Net()
    with widened2(net, fc=nn.Linear(5, 7)):
        x = net(torch.zeros(1, 5))
    y = net(torch.zeros(1, 4))
    assert x.shape == (1, 7) and y.shape == (1, 3)


def c():
    net = Net()
    with net.using(nn.Linear(9, 9)) as n:
        x = n(torch.zeros(1, 9))
        z = net(torch.zeros(1, 9))
    y = net(torch.zeros(1, 4))
    assert x.shape == (1, 9) and y.shape == (1, 3)


def d():
    net = Net()
    with Swap(net, nn.Linear(6, 6)) as n:
        x = n(torch.zeros(1, 6))
        z = net(torch.zeros(1, 6))
    y = net(torch.zeros(1, 4))
    assert x.shape == (1, 6) and y.shape == (1, 3)
sizes = []


@contextmanager
def scope(n):
    sizes.append(n)
    yield sizes
    sizes.pop()


def e():
    with scope(2):
        with scope(3):
            x = torch.zeros(sizes)
        y = torch.zeros(sizes)
    z = torch.zeros(sizes)
    assert x.shape == (2, 3) and y.shape == (2,) and z.shape == ()


@contextmanager
def collected():
    out = []
    yield out
    out.append(torch.zeros(1))
    out[:] = [torch.stack(out)]


def f():
    with collected() as out:
        out.append(torch.zeros(1))
    (x,) = out
    assert x.shape == (2, 1)
    n = len(out)
    assert n == 1


class Rec:
    def __init__(self):
        self.items = []
        self.t = torch.zeros(0)
    def __enter__(self):
        self.items.clear()
        return self.items
    def __exit__(self, *a):
        self.t = torch.cat(self.items)
        self.items.append(torch.zeros(9))


def g():
    r = Rec()
    with r as items:
        items.append(torch.zeros(2))
        items.append(torch.zeros(3))
    x = r.t
    y = items[-1]
    n = len(items)
    assert x.shape == (5,) and y.shape == (9,) and n == 3


def h():
    net = Net()
    cm = widened(net)
    n = cm.__enter__()
    x = net(torch.zeros(1, 8))
    cm.__exit__(None, None, None)
    y = net(torch.zeros(1, 4))
    assert x.shape == (1, 2) and y.shape == (1, 3)


@contextmanager
def grad_off(ps):
    old = [p.data for p in ps]
    for p in ps:
        p.data = p.data[:1]
    yield
    for p, o in zip(ps, old):
        p.data = o


def i():
    w = nn.Parameter(torch.zeros(4, 4))
    with grad_off([w]):
        x = w.sum(0)
        z = w + torch.zeros(1, 4)
    y = w @ torch.zeros(4)
    assert y.shape == (4,)
@widened(Net())
def deco():
    return 3


def j():
    deco()
    m = Net()
    @widened(m)
    def inner():
        return m(torch.zeros(1, 8))
    y = inner()
    z = m(torch.zeros(1, 4))
    assert y.shape == (1, 2) and z.shape == (1, 3)


for fn in (a, b, c, d, e, f, g, h, i, j): fn()

# run: None
