"""What ``isinstance`` and ``type`` say of modules, containers, protocols and plain values, and calls that rest on it."""
import abc
from collections.abc import Mapping, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

import torch
from jaxtyping import Float
from torch import Tensor, nn

T = TypeVar("T")


class Res(nn.Module):
    def __init__(self, i: int, o: int) -> None:
        super().__init__()
        self.c = nn.Conv2d(i, o, 1)

    def forward(self, x: Float[Tensor, "b i h w"], e: Float[Tensor, "b h w"]) -> Float[Tensor, "b o h w"]:
        return self.c(x) + e[:, None]


class Body(nn.Sequential):
    pass


class Low(nn.Linear):
    pass


class Out(NamedTuple):
    first: Tensor


class Named(dict):
    pass


class Box(Generic[T]):
    def __init__(self, x: T) -> None:
        self.x = x


@runtime_checkable
class HasX(Protocol[T]):
    x: T


@runtime_checkable
class HasC(Protocol):
    c: nn.Module


class Duck(type):
    def __instancecheck__(cls, obj: object) -> bool:
        return hasattr(obj, "c")


class WithC(metaclass=Duck):
    pass


class Known(abc.ABC):
    pass


Known.register(Res)


def choose(yes: bool) -> Float[Tensor, "n"]:
    return torch.zeros(1 if yes else 2)


def run(layers: nn.ModuleList, x: Float[Tensor, "b c h w"], e: Float[Tensor, "b h w"]) -> list[int]:
    widths = []
    for layer in layers:
        if isinstance(layer, Res):
            x = layer(x, e)
        elif isinstance(layer, (nn.MaxPool2d, nn.Upsample)):
            x = layer(x)
        elif type(layer) is nn.Linear:
            x = layer(x.movedim(1, -1)).movedim(-1, 1)
        else:
            x = layer(x)
        widths.append(x.shape[1])
    for layer in layers:
        x = torch.zeros(1, 7) if type(layer) == nn.Linear else torch.zeros(1, widths[-1])
        if type(layer) is not nn.Linear:
            continue
        x = layer(torch.zeros(1, 8))
    return widths


def main():
    res, conv, low = Res(3, 4), nn.Conv2d(3, 5, 1), Low(2, 3)
    both = nn.ModuleList([nn.Linear(2, 2)]), nn.ModuleDict({"a": nn.Linear(2, 2)})
    out, named, box = Out(torch.zeros(2)), Named(a=1), Box(3)
    seq, zero = nn.Sequential(conv, nn.ReLU()), nn.ZeroPad2d(1)
    a = torch.zeros(1 if isinstance(res, nn.Upsample) else 2)
    b = torch.zeros(1 if isinstance(res, nn.Module) else 2)
    c = torch.zeros(1 if isinstance(res, HasC) else 2)
    d = torch.zeros(1 if isinstance(res, WithC) else 2)
    e = torch.zeros(1 if isinstance(res, Known) else 2)
    f = torch.zeros(1 if isinstance(conv, (Res, nn.Linear)) else 2)
    g = torch.zeros(1 if isinstance(seq, nn.Sequential) else 2)
    h = torch.zeros(1 if isinstance(seq, nn.ModuleList) else 2)
    i = torch.zeros(1 if isinstance(both[0], (list, nn.ModuleDict)) else 2)
    j = torch.zeros(1 if isinstance(both[1], nn.ModuleDict) else 2)
    k = torch.zeros(1 if isinstance(zero, nn.ConstantPad2d) else 2)
    l = torch.zeros(1 if isinstance(out, tuple) else 2)
    m = torch.zeros(1 if isinstance(out, (list, Tensor)) else 2)
    n = torch.zeros(1 if isinstance(named, dict) else 2)
    o = torch.zeros(1 if isinstance(box, HasX) else 2)
    p = torch.zeros(1 if isinstance(Body(conv), nn.Sequential) else 2)
    q = torch.zeros(1 if isinstance(low, nn.Linear) else 2)
    r = torch.zeros(1 if isinstance(nn.Linear(2, 3), Low) else 2)
    s = torch.zeros(1 if isinstance((1, 2), (list, Mapping)) else 2)
    t = torch.zeros(1 if isinstance("ab", Sequence) else 2)
    u = torch.zeros(1 if type(low) is nn.Linear else 2)
    v = torch.zeros(1 if type(res) in (Res, Low) else 2)
    w = torch.zeros(1 if type(res) is not Res else 2)
    x = torch.zeros(1 if isinstance(a, nn.Module) else 2)
    given = choose(isinstance(named, Mapping))
    layers = nn.ModuleList([Res(3, 8), nn.MaxPool2d(2), nn.Upsample(scale_factor=2), nn.Linear(8, 6), nn.Conv2d(6, 4, 1)])
    widths = run(layers, torch.zeros(2, 3, 4, 4), torch.zeros(2, 4, 4))
    assert widths == [8, 8, 8, 6, 4]
    return a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, given


# run: main()
