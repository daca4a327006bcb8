"""In-place shape changes, and everything that shares the tensor."""
import torch
from jaxtyping import Float
from torch import Tensor, nn


class Holder:
    def __init__(self, x: Tensor):
        self.x = x
        self.views = [x, x]
        self.by_name = {"x": x}

    def grow(self, n: int) -> None:
        self.x = torch.cat([self.x, self.x.new_zeros(n, *self.x.shape[1:])])


def flip_(x: Tensor) -> Tensor:
    x.t_()
    return x


def add_axis(xs: list[Tensor]) -> None:
    for x in xs:
        x.unsqueeze_(0)


def main():
    x = torch.randn(2, 3)
    h = Holder(x)
    y = flip_(x)
    a, b, c = h.x, h.views[1], h.by_name["x"]
    h.grow(2)
    d = h.x
    add_axis([y])
    e = h.views[0]
    x.squeeze_()
    f = x @ torch.randn(2, 5)
    z = torch.arange(6.0)
    alias = z
    z.resize_(2, 3)
    g = alias.sum(0)
    w = torch.empty(0)
    w.set_(torch.randn(4, 5))
    k = w.mean(1)
    p = nn.Parameter(torch.zeros(3, 3))
    p.data = torch.ones(5, 3)
    lin = nn.Linear(3, 3)
    lin.weight.data = p.data
    lin.bias.data = torch.zeros(5)
    out = lin(torch.randn(7, 3))
    out.transpose_(0, 1)
    swapped = out
    acc = []
    row = torch.zeros(3)
    for i in range(3):
        acc.append(row)
        row = torch.cat([row, torch.ones(1)])
    tail = acc[-1]
    q = torch.zeros(2, 3, 4)
    r = q.swapaxes_(0, 2)
    s = q.squeeze_(1)
    both = (q.shape, r.shape)
    n = q
    n.swapdims_(0, 1)
    big = torch.zeros(1)
    for _ in range(3):
        big = torch.cat([big, big])
    v = big.view(2, -1)
    same = v
    v = v.t()
    t = same + 1
    rows = [torch.zeros(4)] * 3
    rows[0].unsqueeze_(0)
    u = rows[2]
    copies = [torch.zeros(4) for _ in range(3)]
    copies[0].unsqueeze_(0)
    uu = copies[2]
    return a, b, c, d, e, f, g, k, out, swapped, tail, r, s, n, t, u, uu, v, both


# run: main()
