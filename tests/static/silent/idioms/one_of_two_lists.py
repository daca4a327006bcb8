"""A name for one of two lists, dicts or objects: what it changes is changed of that one, whichever it is."""

import torch
from torch import Tensor


class Sorted:
    def __init__(self) -> None:
        self.low: list[Tensor] = []
        self.high: list[Tensor] = []
        self.width = 2

    def put(self, x: Tensor) -> None:
        side = self.low if x.sum() < 1 else self.high
        side.append(x)

    def put_by_statement(self, x: Tensor) -> None:
        if x.sum() < 1:
            side = self.low
        else:
            side = self.high
        side.append(x)


def objects() -> tuple[Tensor, ...]:
    s = Sorted()
    s.put(torch.zeros(3))
    s.put(torch.ones(3))
    s.put_by_statement(torch.ones(3))
    a = torch.stack(s.high) + torch.zeros(2, 3)
    b = torch.zeros(len(s.low)) + torch.zeros(1)
    t = Sorted()
    chosen = s if len(s.low) > 5 else t
    chosen.width = 7
    c = torch.zeros(t.width) + torch.zeros(7)
    (t if s.low else s).width = 5
    d = torch.zeros(t.width) + torch.zeros(5)
    return a, b, c, d


def containers(flag: bool) -> tuple[Tensor, ...]:
    xs = []
    same = xs
    if flag:
        xs = [torch.zeros(1)]
    xs.append(torch.zeros(2))
    a = torch.zeros(len(same))
    b = a + torch.zeros(0 if flag else 1)
    low, high = {"x": torch.zeros(2)}, {"x": torch.zeros(3)}
    one = low if flag else high
    one["x"] = torch.zeros(4)
    c = torch.cat([low["x"], high["x"]]) + torch.zeros(7 if flag else 6)
    first: list[Tensor] = []
    second = first or [torch.zeros(1)]
    second.append(torch.zeros(5))
    d = torch.zeros(len(first)) + torch.zeros(0)
    return a, b, c, d


# run: objects()
# run: containers(True)
# run: containers(False)
