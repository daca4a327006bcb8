"""Modules whose calls change them or each other: counters, routers, caches on submodules, train/eval shapes, forward that swaps."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor


class Cache(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.proj = nn.Linear(d, d)
        self.mem = []
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        y = self.proj(x)
        self.mem.append(y)
        return torch.cat(self.mem, 1)

    def clear(self):
        self.mem.clear()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = Cache(4)
        self.head = nn.Linear(4, 2)
        self.use_aux = False

    def forward(self, x: Float[Tensor, "b t 4"]):
        h = self.c(x)
        y = self.head(h)
        return (y, h.mean(1)) if self.use_aux else y

    def enable(self, flag=True):
        self.use_aux = flag
        return self


class Grow(nn.Module):
    def __init__(self, w=2):
        super().__init__()
        self.w = w
        self.lin = nn.Linear(3, w)

    def forward(self, x):
        y = self.lin(x)
        self.w *= 2
        self.lin = nn.Linear(3, self.w)
        return y


class Shared(nn.Module):
    bank: dict = {}

    def __init__(self, key, d):
        super().__init__()
        self.key = key
        Shared.bank[key] = torch.zeros(d)

    def forward(self, other):
        return torch.outer(Shared.bank[self.key], Shared.bank[other])


class Ctl(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.n = n

    def train(self, mode=True):
        super().train(mode)
        self.n = 2 if mode else 5
        return self

    def forward(self, x):
        return x.repeat(self.n, 1)


class Feat(nn.Module):
    def __init__(self, m, layers):
        super().__init__()
        self.m, self.out = m, {}
        for n, c in m.named_modules():
            if n in layers:
                c.register_forward_hook(self.save(n))

    def save(self, n):
        def hook(m, i, o):
            self.out[n] = o
        return hook

    def forward(self, x):
        self.out.clear()
        self.m(x)
        return self.out


class Act(nn.Module):
    def __init__(self):
        super().__init__()
        self.fn = nn.ReLU()

    def forward(self, x):
        return self.fn(x)


def main():
    n = Net()
    a = n(torch.zeros(1, 2, 4)) + torch.zeros(1, 2, 2)
    b = n(torch.zeros(1, 3, 4)) + torch.zeros(1, 5, 2)
    y, z = n.enable()(torch.zeros(1, 1, 4))
    c = y + torch.zeros(1, 6, 2)
    d = z + torch.zeros(1, 4)
    n.c.clear()
    e = n.enable(False)(torch.zeros(1, 1, 4)) + torch.zeros(1, 1, 2)
    f = torch.zeros(n.c.calls) + torch.zeros(4)
    g = Grow()
    h = g(torch.zeros(1, 3)) + torch.zeros(1, 2)
    i = g(torch.zeros(1, 3)) + torch.zeros(1, 4)
    j = g.lin.weight + torch.zeros(8, 3)
    s, t = Shared("a", 2), Shared("b", 3)
    k = s("b") + torch.zeros(2, 3)
    Shared("b", 7)
    l = s("b") + torch.zeros(2, 7)
    ct = Ctl(3)
    m = ct(torch.zeros(1, 2)) + torch.zeros(3, 2)
    ct.eval()
    o = ct(torch.zeros(1, 2)) + torch.zeros(5, 2)
    nn.Sequential(ct).train()
    p = ct(torch.zeros(1, 2)) + torch.zeros(2, 2)
    ft = Feat(nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 5)), ["0", "1"])
    q = ft(torch.zeros(2, 3))["0"] + torch.zeros(2, 4)
    r = ft(torch.zeros(7, 3))["1"] + torch.zeros(7, 5)
    bn = nn.BatchNorm1d(4)
    bn.running_mean = torch.zeros(4)
    bn(torch.zeros(2, 4))
    x = bn.running_var + torch.zeros(4)
    dp = nn.Dropout(0.5)
    dp.p = 0.1
    drop = dp(torch.zeros(2)) + torch.zeros(2)
    conv = nn.Conv2d(1, 1, 3)
    conv.padding = (1, 1)
    aa = conv(torch.zeros(1, 1, 5, 5)) + torch.zeros(1, 1, 5, 5)
    conv.stride = (2, 2)
    bb = conv(torch.zeros(1, 1, 5, 5)) + torch.zeros(1, 1, 3, 3)
    emb = nn.Embedding(5, 3)
    emb.weight = nn.Parameter(torch.zeros(5, 8))
    cc = emb(torch.tensor([1, 2])) + torch.zeros(2, 8)
    lin = nn.Linear(3, 4)
    lin.bias = None
    dd = lin(torch.zeros(2, 3)) + torch.zeros(2, 4)
    lin.weight = lin.weight
    with torch.no_grad():
        lin.weight.set_(torch.zeros(6, 3))
    ee = lin(torch.zeros(2, 3)) + torch.zeros(2, 6)
    ln = nn.LayerNorm(4)
    ln.normalized_shape = (6,)
    ln.weight = ln.bias = None
    ff = ln(torch.zeros(2, 6)) + torch.zeros(2, 6)
    return a, b, c, d, e, f, h, i, j, k, l, m, o, p, q, r, x, drop, aa, bb, cc, dd, ee, ff


# run: main()
