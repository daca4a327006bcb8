"""Classes that extend nn.Sequential and register their parts afterwards, by attribute or by name."""

from collections import OrderedDict
from numbers import Number

import torch
from jaxtyping import Float
from torch import Tensor, nn


class ConvNorm(nn.Sequential):
    def __init__(self, c: int, out: int, act: str = "relu", act_name: str = "act") -> None:
        super().__init__()
        self.conv = nn.Conv2d(c, out, 3, padding=1)
        self.norm = nn.BatchNorm2d(out)
        self.__setattr__(act_name, {"relu": nn.ReLU, "silu": nn.SiLU}[act]())


class TwoLayers(nn.Sequential):
    def __init__(self, c: int, hidden: int, out: int | None = None, drop: float = 0.0) -> None:
        super().__init__()
        self.add_module("first", nn.Linear(c, hidden))
        self.add_module("act", nn.GELU())
        self.add_module("second", nn.Linear(hidden, hidden if out is None else out))
        if drop:
            self.add_module("drop", nn.Dropout(drop))


class Stack(nn.Sequential):
    def __init__(self, c: int, depth: int) -> None:
        super().__init__(OrderedDict([("stem", nn.Linear(3, c))]))
        for i in range(depth):
            self.append(nn.Linear(c, c + 1))
            c += 1
        setattr(self, "head", nn.Linear(c, 2))


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = ConvNorm(3, 8, act_name="silu")
        self.mlp = TwoLayers(8, 16, 4, drop=0.1)
        self.blocks = nn.Sequential()
        self.blocks.add_module("a", nn.Linear(4, 5))
        self.blocks.b = nn.Linear(5, 6)

    def forward(self, x: Float[Tensor, "b 3 h w"]) -> Float[Tensor, "b 6"]:
        return self.blocks(self.mlp(self.conv(x).mean((2, 3))))


class Prior:
    """Takes a number or a tensor."""

    def __init__(self, a, b) -> None:
        a = torch.tensor(float(a)) if isinstance(a, Number) else a
        self.a = a.view(-1) if a.dim() < 1 else a
        self.b = self.a + b


def run(x: Float[Tensor, "2 3 4 4"]) -> None:
    Net()(x)
    assert Stack(4, 3)(torch.ones(5, 3)).shape == (5, 2)
    assert Prior(torch.zeros(2), 1).b.shape == (2,)
    assert Prior(3, 1).b.shape == (1,)


# run: run(randn(2, 3, 4, 4))
