"""Objects whose tensors and numbers are replaced from outside: what they were made with no longer holds."""

import torch
from torch import Tensor, nn
import torch.nn.functional as F
from jaxtyping import Float


class Experts(nn.Module):
    def __init__(self, n: int, d: int, h: int) -> None:
        super().__init__()
        self.up = nn.Parameter(torch.randn(n, d, 2 * h) * d**-0.5)
        self.down = nn.Parameter(torch.randn(n, h, d) * h**-0.5)

    def forward(self, x: Float[Tensor, "n c d"]) -> Float[Tensor, "n c d"]:
        gate, value = torch.bmm(x, self.up).chunk(2, -1)
        return torch.bmm(F.silu(gate) * value, self.down)


def a():
    a = Experts(4, 8, 16)
    a.up = nn.Parameter(a.up[:2])
    a.down = nn.Parameter(a.down[:2])
    small = a(torch.randn(2, 5, 8))


def b():
    a = Experts(4, 8, 16)
    top = a.up.flatten(1).norm(dim=1).topk(2).indices
    a.up = nn.Parameter(a.up[top])
    a.down = nn.Parameter(a.down[top])
    small = a(torch.randn(2, 5, 8))


class W(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width
    def forward(self, x: Float[Tensor, "b width"]) -> Float[Tensor, "b 1 width"]:
        return x.view(-1, 1, self.width)


def d():
    w = W(3)
    w.width = 5
    y = w(torch.randn(2, 5))


class O(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.w = W(width)
        self.e = Experts(4, 8, 16)
    def forward(self, x: Float[Tensor, "b width"]) -> Float[Tensor, "b 1 width"]:
        return self.w(x)


def e():
    w = O(3)
    w.w.width = 5
    y = w(torch.randn(2, 5))
    w.e.up, w.e.down = nn.Parameter(w.e.up[:2]), nn.Parameter(w.e.down[:2])
    small = w.e(torch.randn(2, 5, 8))


def prune(m: Experts):
    m.up, m.down = nn.Parameter(m.up[:2]), nn.Parameter(m.down[:2])


def prune2(m):
    m.up, m.down = nn.Parameter(m.up[:2]), nn.Parameter(m.down[:2])


def prune3(m):
    for x in m.modules():
        if isinstance(x, Experts):
            x.up, x.down = nn.Parameter(x.up[:2]), nn.Parameter(x.down[:2])


def prune4(m):
    for name in ("up", "down"):
        setattr(m, name, nn.Parameter(getattr(m, name)[:2]))


def prune5(m):
    m.up.data, m.down.data = (m.up.data[:2]), (m.down.data[:2])


def f():
    w = O(3)
    prune(w.e)
    small = w.e(torch.randn(2, 5, 8))
    w = O(3)
    prune2(w.e)
    small = w.e(torch.randn(2, 5, 8))
    w = O(3)
    prune3(w)
    small = w.e(torch.randn(2, 5, 8))
    w = O(3)
    prune4(w.e)
    small = w.e(torch.randn(2, 5, 8))
    w = O(3)
    prune5(w.e)
    small = w.e(torch.randn(2, 5, 8))
    w = O(3)
    for x in [w.e]:
        x.up, x.down = nn.Parameter(x.up[:2]), nn.Parameter(x.down[:2])
    small = w.e(torch.randn(2, 5, 8))
    w = O(3)
    w.e.up.data, w.e.down.data = (w.e.up.data[:2]), (w.e.down.data[:2])
    small = w.e(torch.randn(2, 5, 8))
    x = w.e
    setattr(x, "up", nn.Parameter(x.up[:1]))
    setattr(x, "down", nn.Parameter(x.down[:1]))
    small = w.e(torch.randn(1, 5, 8))
    es = [Experts(4, 8, 16), Experts(4, 8, 16)]
    es[0].up, es[0].down = nn.Parameter(es[0].up[:2]), nn.Parameter(es[0].down[:2])
    small = es[0](torch.randn(2, 5, 8))


def g():
    e = Experts(4, 8, 16)
    with torch.no_grad():
        e.up.set_(e.up[:2].clone())
        e.down.set_(e.down[:2].clone())
    small = e(torch.randn(2, 5, 8))
    e = Experts(4, 8, 16)
    e.up.data.set_(e.up[:2].clone())
    e.down.data.set_(e.down[:2].clone())
    e = Experts(4, 8, 16)
    del e.up, e.down
    e.up, e.down = torch.zeros(2, 8, 32), torch.zeros(2, 16, 8)
    small = e(torch.randn(2, 5, 8))
    e = Experts(4, 8, 16)
    e.__dict__["up"] = torch.zeros(2, 8, 32)
    e._parameters["up"] = nn.Parameter(torch.zeros(2, 8, 32))
    e.register_parameter("down", nn.Parameter(torch.zeros(2, 16, 8)))
    del e.__dict__["up"]
    small = e(torch.randn(2, 5, 8))

# run: a(); b(); d(); e(); f(); g()
