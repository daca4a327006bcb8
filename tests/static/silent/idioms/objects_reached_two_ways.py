"""One object under two names, of which one changes it: by a bound method, a closure, a list handed over."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.forward = self.fast
        self.fc = nn.Linear(4, 3)

    def fast(self, x: Tensor) -> Tensor:
        return self.fc(x)


class Trainer:
    def __init__(self, log: list) -> None:
        self.log = log

    def run(self, x: Tensor) -> None:
        self.log.append(x)


class Child:
    def __init__(self, parent: "Parent") -> None:
        self.parent = parent


class Parent:
    total = 0

    def __init__(self) -> None:
        self.n = 3
        self.child = Child(self)
        self.n = 4
        type(self).total += 1


@dataclass
class Batch:
    x: Float[Tensor, "b d"]

    def doubled(self) -> Float[Tensor, "b d"]:
        return self.x * 2


def methods() -> None:
    x = torch.zeros(2, 4)
    net = Net()
    step = net.fast
    net.fc = nn.Linear(4, 7)
    assert step(x).shape == (2, 7)
    assert net(x).shape == (2, 7)

    def run(y: Tensor) -> Tensor:
        return net.fc(y)

    net.fc = nn.Linear(4, 9)
    assert run(x).shape == (2, 9)
    batch = Batch(torch.zeros(3, 2))
    batch.x = torch.zeros(5, 4)
    assert batch.doubled().shape == (5, 4)


def lists() -> None:
    items = [torch.zeros(2)]

    def joined() -> Tensor:
        return torch.cat(items)

    items.append(torch.zeros(3))
    c = joined()
    assert c.shape == (5,)
    log: list[Tensor] = []
    trainer = Trainer(log)
    trainer.run(torch.zeros(2))
    log.append(torch.zeros(3))
    assert torch.cat(log).shape == (5,)


def iterators() -> None:
    sizes = iter([2, 3, 4])
    first = next(sizes)
    rest = torch.zeros(list(sizes))
    assert (first, rest.shape) == (2, (3, 4))
    assert rest.shape == (3, 4)


def parents() -> None:
    parent = Parent()
    assert torch.zeros(parent.child.parent.n).shape == (4,)
    assert torch.zeros(Parent.total).shape == (1,)


def swap(model: nn.Module, old: type, new: type) -> nn.Module:
    for name, child in model.named_children():
        if isinstance(child, old):
            setattr(model, name, new(4, 8))
    return model


class Typed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 3, dtype=torch.float64)


def replaced() -> None:
    x = torch.zeros(2, 4)
    net = Plain()
    swap(net, nn.Linear, nn.Linear)
    assert net(x).shape == (2, 8)
    typed = Typed()
    typed.to(torch.float32)
    assert typed.fc(x).dtype == torch.float32
    assert any((hit := v) > 1 for v in [1, 2, 3])
    assert torch.zeros(hit).shape == (2,)


class Plain(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc(x)


def attempts() -> None:
    z = torch.zeros(2)
    try:
        z = torch.zeros(3)
        z = z[None]
        int("a")
        z = torch.zeros(9)
    except ValueError:
        z = z[0]
    assert z.shape == (3,)


# run: methods()
# run: lists()
# run: iterators()
# run: parents()
# run: replaced()
# run: attempts()
