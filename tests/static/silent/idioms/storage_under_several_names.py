"""Storage tricks: resize_, set_, .data, views changed under other names, as_strided, in-place transposes."""
import numpy as np
import torch
from torch import Tensor, nn

a = torch.arange(12.0)
b = a.view(3, 4)
c = b.T
b.t_()
assert b.shape == (4, 3) and c.shape == (4, 3)
b.unsqueeze_(0)
d = b.squeeze(0)
b.squeeze_()
assert b.shape == d.shape
b.swapaxes_(0, 1)
e = b @ c
assert e.shape == (3, 3)
a.resize_(2, 3)
assert a.shape == (2, 3)
f = a.sum(0)
alias = a
alias.resize_(5)
g = a + 1
assert g.shape == (5,)
h = torch.empty(0)
h.set_(torch.ones(7))
i = h * 2
assert i.shape == (7,)
p = nn.Parameter(torch.zeros(4, 4))
q = p
p.data = torch.zeros(2, 6)
r = q.sum(0)
assert r.shape == (6,)


def grow(t: Tensor, n: int) -> None:
    t.resize_(n, 2)


def shrink(holder: dict) -> None:
    holder["t"].data = holder["t"].data[:1]


t = torch.zeros(1, 2)
grow(t, 4)
u = t.mean(0, keepdim=True)
assert t.shape == (4, 2) and u.shape == (1, 2)
held = {"t": t}
shrink(held)
v = t.flatten()
assert v.shape == (2,)

rows = [torch.zeros(3), torch.zeros(3)]
for row in rows:
    row.unsqueeze_(0)
w = torch.cat(rows)
assert w.shape == (2, 3)
x, y = rows
x.resize_(2, 2)
z = rows[0] @ torch.ones(2)
assert z.shape == (2,)


class Holder:
    def __init__(self) -> None:
        self.buf = torch.zeros(2, 3)
        self.view = self.buf[0]
        self.same = self.buf

    def flip(self) -> "Holder":
        self.buf.transpose_(0, 1)
        return self


k = Holder()
l = k.same
k.flip()
m = k.buf.sum(1)
n = k.same.sum(1)
o = l.sum(1)
assert m.shape == n.shape == o.shape == (3,) and k.view.shape == (3,)
s1 = torch.arange(10).as_strided((3, 4), (2, 1))
s2 = torch.as_strided(s1, (2,), (1,), 5)
assert s1.shape == (3, 4) and s2.shape == (2,)
arr = np.zeros((2, 3))
arr.shape = (3, 2)
back = torch.from_numpy(arr)
assert back.shape == (3, 2) and back.dtype == torch.float64
arr2 = np.arange(6)
arr2.resize((2, 3), refcheck=False)
back2 = torch.from_numpy(arr2)
assert back2.shape == (2, 3)
lin = nn.Linear(3, 5)
lin.weight.data = lin.weight.data[:2]
lin.bias.data = lin.bias.data[:2]
out = lin(torch.randn(4, 3))
assert out.shape == (4, 2)
lin.weight = nn.Parameter(torch.zeros(6, 7))
lin.register_parameter("bias", None)
out = lin(torch.randn(4, 7))
assert out.shape == (4, 6)
del lin.weight
lin.weight = torch.ones(1, 2)
out = lin(torch.randn(2))
assert out.shape == (1,)
emb = nn.Embedding(4, 3)
emb.weight.data.resize_(8, 3)
tok = emb(torch.tensor([3]))
assert tok.shape == (1, 3)
mixed = torch.zeros(2, 2, dtype=torch.int64)
mixed2 = mixed
mixed += 1
mixed2 = mixed2 / 2
assert mixed.dtype == torch.int64 and mixed2.dtype == torch.float32
base = torch.zeros(2, 3)
expanded = base.expand(4, 2, 3)
base.fill_(1.0)
expanded = expanded.clone()
expanded[..., 0] += torch.arange(2)
assert expanded.shape == (4, 2, 3)

# run: None
