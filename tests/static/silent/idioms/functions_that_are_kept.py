"""Functions that are kept read what their surroundings hold when they are called."""

import torch


def a():
    gs = []
    for n in range(1, 4):
        def g():
            return torch.zeros(n)
        gs.append(g)
    x = gs[0]()
    assert x.shape == (3,)


def b():
    gs = {}
    for n in range(1, 4):
        m = 2 * n
        gs[n] = lambda: torch.zeros(m)
    x = gs[1]()
    assert x.shape == (6,)


def c():
    hooks = []
    k = 0
    while k < 3:
        k += 1
        hooks += [lambda: torch.zeros(k)]
    x = hooks[0]()
    assert x.shape == (3,)


def d():
    t = torch.zeros(2)
    f = [lambda: t][0]
    t = torch.zeros(5)
    x = f()
    assert x.shape == (5,)


def e():
    t = torch.zeros(2)
    class C: pass
    o = C()
    o.f = lambda: t
    table = {"f": lambda: t}
    pair = (lambda: t, 1)
    fs = []
    fs.append(lambda: t)
    p = __import__("functools").partial(lambda k: t, 1)
    t = torch.zeros(5)
    x = o.f()
    y = table["f"]()
    z = pair[0]()
    w = fs[0]()
    v = p()
    for q in (x, y, z, w, v):
        assert q.shape == (5,)


def f():
    def call(fn):
        return fn
    t = torch.zeros(2)
    g = call(lambda: t)
    t = torch.zeros(5)
    x = g()
    assert x.shape == (5,)


def h():
    t = torch.zeros(2)
    def g(): return t
    t = torch.zeros(5)
    x = g()
    assert x.shape == (5,)
    t = t[:1]
    y = g()
    assert y.shape == (1,)
    gs = [g]
    t = torch.zeros(9)
    z = gs[0]()
    assert z.shape == (9,)


def i():
    gs = [lambda: torch.zeros(k) for k in range(1, 4)]
    x = gs[0]()
    assert x.shape == (3,)
    hs = {k: (lambda: torch.zeros(k)) for k in range(1, 4)}
    y = hs[1]()
    assert y.shape == (3,)
    js = [(k, lambda: torch.zeros(k)) for k in range(1, 4)]
    z = js[0][1]()
    assert z.shape == (3,)


def j():
    def make():
        return lambda: torch.zeros(n)
    n = 2
    f = make()
    n = 4
    x = f()
    assert x.shape == (4,)


def k():
    n = 3
    xs = [torch.zeros(1)]
    g2 = (x for x in xs)
    xs.append(torch.zeros(2))
    y = list(g2)
    assert len(y) == 2
    g3 = map(lambda t: t.view(n, -1), [torch.zeros(6)])
    n = 2
    z = next(g3)
    assert z.shape == (2, 3)


def l():
    out = []
    for n in (2, 3):
        x = torch.zeros(n)
        out.append(lambda: x)
        out.append(lambda x=x: x)
    a, b, c, d = [f() for f in out]
    assert a.shape == (3,) and b.shape == (2,) and c.shape == (3,) and d.shape == (3,)


class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fs = []
        for n in (2, 3):
            self.fs.append(lambda x: x[:n])
            setattr(self, f"g{n}", lambda x: x[:n])
    def forward(self, x):
        return self.fs[0](x)


def m():
    y = M()(torch.zeros(5))
    assert y.shape == (3,)
    z = M().g2(torch.zeros(5))
    assert z.shape == (3,)


class Closure:
    """What is kept under the name of ``forward`` is what it calls, not what a call of it is."""

    def __init__(self, forward, parameters):
        self.forward, self.parameters = forward, parameters

    def __call__(self, **settings):
        value = self.forward(**settings).sum()
        value.backward()
        return value, tuple(p.grad for p in self.parameters)


class Energy(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.ones(3))

    def forward(self):
        return self.w.square().sum()


def n():
    energy = Energy()
    closure = Closure(energy, list(energy.parameters()))
    value, (gradient,) = closure()
    assert value.shape == () and closure()[1][0].shape == (3,)


for fn in (a, b, c, d, e, f, h, i, j, k, l, m, n): fn()

# run: None
