"""Objects of which methods, hooks, threads and Python itself change the tensors, in as many ways as there are."""

import asyncio
import contextlib
import copy
import threading
from dataclasses import dataclass, field, replace
from functools import partial, reduce

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader


class Hook:
    def __init__(self, layer):
        self.last = torch.zeros(1)
        layer.register_forward_hook(self.store)

    def store(self, module, args, out):
        self.last = out


class Hook2:
    def __init__(self, layer):
        self.last = torch.zeros(1)

        def store(module, args, out):
            self.last = out

        layer.register_forward_hook(store)


class Mean:
    def __init__(self):
        self.total = torch.zeros(1)
        self.n = 0

    def on_step(self, x):
        self.total = x if self.n == 0 else self.total + x
        self.n += 1


def fit(callbacks, xs):
    for x in xs:
        for cb in callbacks:
            cb.on_step(x)


class Ops:
    def __init__(self):
        self.x = torch.zeros(2, 3)

    def __iadd__(self, o):
        self.x = torch.cat([self.x, o])
        return self

    def __enter__(self):
        self.x = torch.ones(5, 3)
        return self

    def __exit__(self, *e):
        self.x = torch.ones(6, 3)

    def __iter__(self):
        return self

    def __next__(self):
        self.x = self.x[1:]
        if len(self.x) == 0:
            raise StopIteration
        return self.x

    def __setitem__(self, i, v):
        self.x = v

    def __getitem__(self, i):
        self.x = torch.ones(7, 3)
        return i

    @property
    def y(self):
        self.x = torch.ones(8, 3)
        return 1

    @y.setter
    def y(self, v):
        self.x = v

    def gen(self):
        for i in range(3):
            yield i
            self.x = torch.ones(9, 3)

    def __len__(self):
        self.x = torch.ones(11, 3)
        return 3

    def __bool__(self):
        self.x = torch.ones(12, 3)
        return True

    def __lt__(self, o):
        self.x = torch.ones(13, 3)
        return True

    def __add__(self, o):
        self.x = torch.ones(14, 3)
        return o

    def __contains__(self, o):
        self.x = torch.ones(15, 3)
        return True

    def __call__(self, v):
        self.x = torch.ones(16, 3)
        return v

    def __eq__(self, o):
        self.x = torch.ones(17, 3)
        return True

    def __str__(self):
        self.x = torch.ones(18, 3)
        return ""

    def __del__(self):
        pass

    def __delitem__(self, i):
        self.x = torch.ones(19, 3)

    def __hash__(self):
        self.x = torch.ones(20, 3)
        return 1

    def __neg__(self):
        self.x = torch.ones(21, 3)
        return 1

    def __format__(self, s):
        self.x = torch.ones(22, 3)
        return ""

    def __radd__(self, o):
        self.x = torch.ones(23, 3)
        return o

    def __matmul__(self, o):
        self.x = torch.ones(24, 3)
        return o


class RNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.h = torch.zeros(1, 4)
        self.register_buffer("b", torch.zeros(1, 4))
        self.l = nn.Linear(3, 4)

    def forward(self, x):
        self.h = self.l(x) + self.h
        self.b = self.h.detach()
        return self.h

    def reset(self, n):
        self.h = torch.zeros(n, 4)
        self.b = torch.zeros(n, 4)


def drive(net, xs):
    for x in xs:
        net(x)
    return net


class Outer:
    def __init__(self):
        self.inner = RNN()
        self.mean = Mean()
        self.inner.owner = [self]
        self.x = torch.zeros(1)

    def run(self, x):
        self.inner(x)
        self.mean.on_step(x)
        return self

    def deep(self, x):
        return self.run(x)

    def swap(self):
        self.inner, self.mean = RNN(), Mean()


@dataclass
class State:
    x: Tensor
    y: Tensor = field(default_factory=lambda: torch.zeros(1))

    def grow(self):
        self.x = torch.cat([self.x, self.x])

    def set(self, v):
        self.y = v


def helper(st: State) -> None:
    st.x = torch.ones(9, 3)


def many(n, st):
    if n:
        st.grow()
        many(n - 1, st)


class Sched:
    def __init__(self, st):
        self.st = st

    def step(self):
        self.st.grow()


class Coll:
    def __init__(self):
        self.x = torch.zeros(1)

    def __call__(self, items):
        self.x = torch.stack(items)
        return self.x


class Reg:
    items = []

    def __init__(self):
        self.x = torch.zeros(1)
        Reg.items.append(self)

    def set(self):
        self.x = torch.ones(4, 3)


def main() -> None:
    lin = nn.Linear(3, 4)
    h = Hook(lin)
    lin(torch.ones(2, 3))
    assert h.last.shape == (2, 4)
    h.last @ torch.ones(4, 5)
    lin = nn.Linear(3, 4)
    h2 = Hook2(lin)
    lin(torch.ones(2, 3))
    h2.last @ torch.ones(4, 5)
    m = Mean()
    fit([m], [torch.ones(3, 4), torch.ones(3, 4)])
    m.total @ torch.ones(4, 2)
    m2 = Mean()
    for _ in range(3):
        m2.on_step(torch.ones(3, 4))
    m2.total @ torch.ones(4, 2)
    ms = [Mean(), Mean()]
    for mm in ms:
        mm.on_step(torch.ones(3, 4))
    ms[0].total @ torch.ones(4, 2)
    md = {"a": Mean()}
    md["a"].on_step(torch.ones(3, 4))
    md["a"].total @ torch.ones(4, 2)
    mt = Mean()
    step = mt.on_step
    step(torch.ones(3, 4))
    mt.total @ torch.ones(4, 2)
    mu = Mean()
    list(map(mu.on_step, [torch.ones(3, 4)]))
    mu.total @ torch.ones(4, 2)
    mv = Mean()
    p = partial(mv.on_step, torch.ones(3, 4))
    p()
    mv.total @ torch.ones(4, 2)
    mw = Mean()
    t = threading.Thread(target=mw.on_step, args=(torch.ones(3, 4),))
    t.start()
    t.join()
    mw.total @ torch.ones(4, 2)
    mx = Mean()

    def later():
        mx.on_step(torch.ones(3, 4))

    later()
    mx.total @ torch.ones(4, 2)
    my = Mean()
    [my.on_step(x) for x in [torch.ones(3, 4)]]
    my.total @ torch.ones(4, 2)
    mz = Mean()
    getattr(mz, "on_step")(torch.ones(3, 4))
    mz.total @ torch.ones(4, 2)
    na = Mean()
    setattr(na, "to" + "tal", torch.ones(3, 4))
    na.total @ torch.ones(4, 2)
    nb = Mean()
    vars(nb).update(total=torch.ones(3, 4))
    nb.total @ torch.ones(4, 2)
    nc = Mean()
    nc.__dict__["total"] = torch.ones(3, 4)
    nc.total @ torch.ones(4, 2)
    nd = Mean()
    ne = nd
    ne.on_step(torch.ones(3, 4))
    nd.total @ torch.ones(4, 2)
    nf = Mean()
    ng = copy.copy(nf)
    ng.on_step(torch.ones(3, 4))
    ng.total @ torch.ones(4, 2)
    nh = Mean()
    try:
        nh.on_step(torch.ones(3, 4))
        raise ValueError
    except ValueError:
        pass
    nh.total @ torch.ones(4, 2)
    ni = Mean()
    while True:
        ni.on_step(torch.ones(3, 4))
        if ni.n > 2:
            break
    ni.total @ torch.ones(4, 2)
    nj = Mean()
    fit((nj,), (torch.ones(3, 4),))
    nj.total @ torch.ones(4, 2)
    nk = Mean()
    lin.register_forward_hook(lambda *a: nk.on_step(a[-1]))
    lin(torch.ones(3, 3))
    nk.total @ torch.ones(4, 2)
    nl = Mean()
    opt = torch.optim.SGD(lin.parameters(), lr=0.1)

    def closure():
        nl.on_step(torch.ones(3, 4))
        return torch.zeros(())

    opt.step(closure)
    nl.total @ torch.ones(4, 2)
    nm = Mean()
    lin.apply(lambda m: nm.on_step(torch.ones(3, 4)))
    nm.total @ torch.ones(4, 2)
    no = Mean()
    sorted([1, 2], key=lambda i: (no.on_step(torch.ones(3, 4)), i)[1])
    no.total @ torch.ones(4, 2)
    o = Ops()
    o += torch.ones(1, 3)
    assert o.x.shape == (3, 3)
    o = Ops()
    with o:
        assert o.x.shape == (5, 3)
    assert o.x.shape == (6, 3)
    o = Ops()
    next(o)
    assert o.x.shape == (1, 3)
    o = Ops()
    for _ in o:
        pass
    assert len(o.x) == 0
    o = Ops()
    list(o)
    assert o.x.shape == (0, 3)
    o = Ops()
    o[0] = torch.ones(4, 3)
    assert o.x.shape == (4, 3)
    o = Ops()
    o[0]
    assert o.x.shape == (7, 3)
    o = Ops()
    o.y
    assert o.x.shape == (8, 3)
    o = Ops()
    o.y = torch.ones(4, 3)
    assert o.x.shape == (4, 3)
    o = Ops()
    list(o.gen())
    assert o.x.shape == (9, 3)
    o = Ops()
    for _ in o.gen():
        pass
    assert o.x.shape == (9, 3)
    o = Ops()
    len(o)
    assert o.x.shape == (11, 3)
    o = Ops()
    bool(o)
    assert o.x.shape == (12, 3)
    o = Ops()
    if o:
        pass
    assert o.x.shape == (12, 3)
    o = Ops()
    q = o and 1
    assert o.x.shape == (12, 3)
    o = Ops()
    q = not o
    assert o.x.shape == (12, 3)
    o = Ops()
    o < 3
    assert o.x.shape == (13, 3)
    o = Ops()
    sorted([o, Ops()])
    min(o, Ops())
    o = Ops()
    o + 3
    assert o.x.shape == (14, 3)
    o = Ops()
    3 in o
    assert o.x.shape == (15, 3)
    o = Ops()
    o(3)
    assert o.x.shape == (16, 3)
    o = Ops()
    list(map(o, [3]))
    assert o.x.shape == (16, 3)
    o = Ops()
    o == 3
    assert o.x.shape == (17, 3)
    o = Ops()
    o != 3
    assert o.x.shape == (17, 3)
    o = Ops()
    str(o)
    assert o.x.shape == (18, 3)
    o = Ops()
    print(o)
    assert o.x.shape == (18, 3)
    o = Ops()
    del o[0]
    assert o.x.shape == (19, 3)
    o = Ops()
    {o: 1}
    assert o.x.shape == (20, 3)
    o = Ops()
    -o
    assert o.x.shape == (21, 3)
    o = Ops()
    f"{o}"
    assert o.x.shape == (22, 3)
    o = Ops()
    3 + o
    assert o.x.shape == (23, 3)
    o = Ops()
    o @ 3
    assert o.x.shape == (24, 3)
    o = Ops()
    sum([1, o])
    assert o.x.shape == (23, 3)
    o = Ops()
    a, *b = o
    assert o.x.shape == (0, 3)
    o = Ops()
    [*o]
    assert o.x.shape == (0, 3)
    o = Ops()
    torch.stack([z.sum() for z in o])
    assert o.x.shape == (0, 3)
    o = Ops()
    dict(zip(o, [1, 2, 3]))
    o = Ops()
    "%s" % o
    assert o.x.shape == (18, 3)
    o = Ops()
    assert 3 in o
    assert o.x.shape == (15, 3)
    o = Ops()
    z = 1 if o else 2
    assert o.x.shape == (12, 3)
    o = Ops()
    [1 for _ in [0] if o]
    assert o.x.shape == (12, 3)
    o = Ops()
    any([o])
    assert o.x.shape == (12, 3)
    o = Ops()
    [o].index(3)
    assert o.x.shape == (17, 3)
    o = Ops()
    3 in [o]
    assert o.x.shape == (17, 3)
    W = torch.ones(5, 2)
    for make in (lambda r: r, nn.Sequential, torch.nn.DataParallel, torch.nn.Identity):
        r = RNN()
        make(r)
        r(torch.ones(5, 3)).T @ W
        r.h.T @ W
        r.b.T @ W
    r = RNN()
    nn.Sequential(r)(torch.ones(5, 3))
    r.h.T @ W
    r = RNN()
    s = nn.Sequential(r, nn.ReLU())
    s(torch.ones(5, 3))
    s[0].h.T @ W
    r.h.T @ W
    r = RNN()
    nn.DataParallel(r)(torch.ones(5, 3))
    r.h.T @ W
    r = RNN()
    checkpoint(r, torch.ones(5, 3), use_reentrant=False)
    r.h.T @ W
    r = RNN()
    c = torch.compile(r, backend="eager")
    c(torch.ones(5, 3))
    r.h.T @ W
    r = RNN()
    l = nn.ModuleList([r])
    l[0](torch.ones(5, 3))
    r.h.T @ W
    r = RNN()
    l = nn.ModuleDict({"a": r})
    l["a"](torch.ones(5, 3))
    r.h.T @ W
    r = RNN()
    r.load_state_dict({**r.state_dict()})
    r.reset(5)
    r.h.T @ W
    r = RNN()
    r.to(torch.float64).reset(5)
    r.h.T @ W
    r = RNN()
    r.eval()
    r.forward(torch.ones(5, 3))
    r.h.T @ W
    r = RNN()
    RNN.forward(r, torch.ones(5, 3))
    r.h.T @ W
    r = RNN()
    drive(r, [torch.ones(5, 3)]).h.T @ W
    r.h.T @ W
    u = Outer()
    u.run(torch.ones(5, 3))
    u.inner.h.T @ W
    u.mean.total.T @ W
    u = Outer()
    u.deep(torch.ones(5, 3)).deep(torch.ones(5, 3))
    u.inner.h.T @ W
    u.mean.total.T @ W
    u = Outer()
    v = u.inner
    u.run(torch.ones(5, 3))
    v.h.T @ W
    s = State(torch.ones(2, 3))
    s.grow()
    assert s.x.shape == (4, 3)
    s2 = replace(s, x=torch.ones(7, 3))
    assert s2.x.shape == (7, 3)
    s.set(torch.ones(7, 3))
    s.y.T @ s2.x
    helper(s)
    assert s.x.shape == (9, 3)
    for k in range(2):
        s.grow()
    assert s.x.shape == (36, 3)
    states = [State(torch.ones(2, 3)) for _ in range(3)]
    for st in states:
        st.grow()
    assert states[1].x.shape == (4, 3)
    st = State(torch.ones(1, 3))
    many(4, st)
    assert st.x.shape == (16, 3)

    async def co(st):
        st.grow()

    st = State(torch.ones(1, 3))
    asyncio.run(co(st))
    assert st.x.shape == (2, 3)
    st = State(torch.ones(1, 3))
    (lambda: st.grow())()
    assert st.x.shape == (2, 3)
    st = State(torch.ones(1, 3))
    fs = [st.grow]
    [f() for f in fs]
    assert st.x.shape == (2, 3)
    st = State(torch.ones(1, 3))
    ops = {"g": st.grow}
    ops["g"]()
    assert st.x.shape == (2, 3)
    st = State(torch.ones(1, 3))
    Sched(st).step()
    assert st.x.shape == (2, 3)
    st = State(torch.ones(1, 3))
    sc = Sched(st)
    sc.st.grow()
    assert st.x.shape == (2, 3)
    cc = Coll()
    for b in DataLoader([torch.ones(3)] * 4, batch_size=2, collate_fn=cc):
        pass
    assert cc.x.shape == (2, 3)
    st = State(torch.ones(1, 3))
    torch.optim.lr_scheduler.LambdaLR(opt, lambda e: (st.grow(), 1.0)[1])
    assert st.x.shape == (2, 3)
    G = State(torch.ones(1, 3))

    def bump():
        nonlocal G
        G.grow()

    bump()
    assert G.x.shape == (2, 3)

    def swap():
        nonlocal G
        G = State(torch.ones(6, 3))

    swap()
    assert G.x.shape == (6, 3)
    rr = Reg()
    for it in Reg.items:
        it.set()
    assert rr.x.shape == (4, 3)


# run: main()
