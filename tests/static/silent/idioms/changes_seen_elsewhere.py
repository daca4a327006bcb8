"""What a call, an operator or an assignment changes that is read under another name, or at another place."""

import contextlib
import dataclasses
from collections import deque
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn


class Residual(nn.Module):
    def __init__(self, blocks: list[int], width: int = 4) -> None:
        super().__init__()
        self.planes = width
        self.stages = nn.Sequential(*[self.make(width * 2**i, n) for i, n in enumerate(blocks)])
        self.head = nn.Linear(self.planes, 3)

    def make(self, planes: int, n: int) -> nn.Sequential:
        layers = []
        for _ in range(n):
            layers.append(nn.Linear(self.planes, planes))
            self.planes = planes
        return nn.Sequential(*layers)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.stages(x))


class Doubling:
    def __init__(self, n: int) -> None:
        self._n = n

    @property
    def n(self) -> int:
        return self._n

    @n.setter
    def n(self, value: int) -> None:
        self._n = value * 2


@dataclass
class Config:
    dim: int = 8
    heads: int = 2

    def __post_init__(self) -> None:
        self.head_dim = self.dim // self.heads


class Raised:
    def __init__(self) -> None:
        self.x = torch.zeros(2)

    def __getattribute__(self, name: str):
        value = super().__getattribute__(name)
        return value[None] if isinstance(value, Tensor) else value


class Patched(nn.Module):
    width = 4

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc(x)


class Recorder:
    def __init__(self) -> None:
        self.x = torch.zeros(2)

    def __enter__(self) -> Tensor:
        return self.x

    def __exit__(self, *error) -> bool:
        self.x = torch.zeros(3)
        return True


def shorten(t: Tensor) -> None:
    t.resize_(t.shape[0] - 1, *t.shape[1:])


def gathered(x: Tensor, kept: list = []) -> Tensor:
    kept.append(x)
    return torch.cat(kept)


def comprehensions() -> None:
    net = Residual([1, 2, 2])
    planes = net.planes
    assert net(torch.zeros(5, 4)).shape == (5, 3)
    assert torch.zeros(planes).shape == (16,)
    last = torch.zeros(0)
    total = sum(n for n in (2, 3, 4) if (last := torch.zeros(n)).numel() > 2)
    assert (total, last.shape) == (7, (4,))
    assert last.shape == (4,)
    cuts = [lambda x: x[:i] for i in range(1, 4)]
    assert cuts[0](torch.zeros(6)).shape == (3,)
    n = 2
    first = lambda x: x[:n]  # noqa: E731 - it is the case
    n = 5
    assert first(torch.zeros(6)).shape == (5,)


def containers() -> None:
    a = [torch.zeros(2), torch.zeros(3)]
    b = a
    a *= 2
    assert torch.cat(b).shape == (10,)
    recent = deque(maxlen=3)
    for i in range(5):
        recent.append(torch.zeros(i))
    assert torch.cat(list(recent)).shape == (9,)
    kept = {"x": torch.zeros(2)}
    kept.clear()
    kept.setdefault("x", torch.zeros(4))
    assert kept["x"].shape == (4,)
    first, second = gathered(torch.zeros(2)), gathered(torch.zeros(3))
    assert second.shape == (5,) and first.shape == (2,)
    assert torch.zeros(max(3, 20, key=lambda v: -v)).shape == (3,)


def objects() -> None:
    box = Doubling(3)
    box.n = 4
    assert torch.zeros(box.n).shape == (8,)
    small = dataclasses.replace(Config(), dim=4)
    assert torch.zeros(small.head_dim).shape == (2,)
    assert Raised().x.shape == (1, 2)
    vars(box)["_n"] = 9
    assert torch.zeros(box.n).shape == (9,)
    box.__dict__.update(_n=10)
    assert torch.zeros(box.n).shape == (10,)


def modules() -> None:
    x = torch.zeros(2, 4)
    net = Patched()
    net.forward = lambda x: net.fc(x)[0]
    assert net(x).shape == (3,)
    Patched.forward = lambda self, x: self.fc(x)[:1]
    assert Patched()(x).shape == (1, 3)
    Patched.width = 7
    assert torch.zeros(Patched.width, Patched().width).shape == (7, 7)
    body = nn.Linear(4, 5)
    body.register_forward_hook(lambda module, args, output: torch.cat([output, output], -1))
    assert body(x).shape == (2, 10)
    outer = Residual([1])
    outer.register_forward_pre_hook(lambda module, args: (args[0][:1],))
    assert outer(x).shape == (1, 3)


def tensors() -> None:
    x = torch.zeros(4, 6)
    shorten(x)
    assert x.shape == (3, 6)
    out = torch.empty(0)
    torch.cat([x, x], out=out)
    assert out.shape == (6, 6)
    a = np.zeros((3, 4))
    a.resize(2, 6)
    assert a.shape == (2, 6)
    assert np.expand_dims(a, (0, 2)).shape == (1, 2, 1, 6)


def blocks() -> None:
    recorder = Recorder()
    y = torch.zeros(1)
    with recorder as x:
        y = torch.zeros(5)
        x.view(7)
        y = torch.zeros(6)
    assert y.shape == (5,)
    assert recorder.x.shape == (3,)
    with contextlib.suppress(RuntimeError):
        y = torch.zeros(8)
        x.view(7)
        y = torch.zeros(9)
    assert y.shape == (8,)


# run: comprehensions()
# run: containers()
# run: objects()
# run: modules()
# run: tensors()
# run: blocks()
