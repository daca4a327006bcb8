"""Iterators that two read, lists that grow while loops go through them, copies, tensors in two places."""

import copy

import torch
from torch import Tensor


def iterators() -> tuple[Tensor, ...]:
    numbers = iter(range(1, 7))
    pairs = list(zip(numbers, numbers))
    a = torch.zeros(pairs[1]) + torch.zeros(3, 4)
    b = torch.zeros(len(pairs)) + torch.zeros(3)
    rows = iter([torch.zeros(1), torch.zeros(2), torch.zeros(3), torch.zeros(4)])
    first = next(rows)
    c = torch.cat(list(rows)) + torch.zeros(9)
    d = torch.zeros(len(list(rows))) + torch.zeros(0)
    again = iter([torch.zeros(1), torch.zeros(1), torch.zeros(2), torch.zeros(2)])
    for row in again:
        e = torch.cat([row, next(again)])
    f = e + torch.zeros(4)
    return first, a, b, c, d, f


def later() -> Tensor:
    n = 3
    rows = (torch.zeros(n) for _ in range(1))
    n = 5
    return next(rows) + torch.zeros(n)


def growing() -> tuple[Tensor, ...]:
    sizes = [1, 2]
    for size in sizes:
        if size < 5:
            sizes.append(size + 2)
    a = torch.zeros(len(sizes)) + torch.zeros(6)
    found = [torch.zeros(1, 2)]
    for i, x in enumerate(found):
        if i < 3:
            found.append(torch.cat([x, x]))
    b = x + torch.zeros(8, 2)
    return a, b


class Kept:
    every: list = []

    def __init_subclass__(cls) -> None:
        Kept.every.append(cls)


class First(Kept):
    pass


class Second(Kept):
    pass


def counted() -> tuple[Tensor, ...]:
    some = set()
    for number in (1, 1, 2):
        some.add(number)
    a = torch.zeros(len(some), len(set([3, 3]))) + torch.zeros(2, 1)
    b = torch.zeros(len(Kept.every)) + torch.zeros(2)
    c = torch.zeros(len(f"{3:03d}{'x'!r}")) + torch.zeros(6)
    return a, b, c


def copies() -> tuple[Tensor, ...]:
    a = [torch.zeros(2), [torch.zeros(3)]]
    b, c = copy.copy(a), copy.deepcopy(a)
    a[0] = torch.zeros(5)
    a[1][0] = torch.zeros(6)
    d = b[0] + torch.zeros(2)
    e = b[1][0] + torch.zeros(6)
    f = c[1][0] + torch.zeros(3)
    return d, e, f


def in_place(n: int) -> tuple[Tensor, ...]:
    x = torch.zeros(4, 2)
    for each in [x, x]:
        each.t_()
    a = x + torch.zeros(4, 2)
    z = torch.zeros(3)
    three = [z] * 3
    for each in three:
        each.unsqueeze_(0)
    b = torch.stack(three) + torch.zeros(3, 1, 1, 1, 3)
    p, q = torch.zeros(2), torch.zeros(3)
    [each.unsqueeze_(-1) for each in (p, q)]
    c = torch.cat([p, q]) @ torch.zeros(1, 2)
    rows = [torch.zeros(2) for _ in range(n)]
    for row in rows:
        row.unsqueeze_(0)
    d = torch.cat(rows) @ torch.zeros(2, 2)
    values, indices = torch.empty(0), torch.empty(0, dtype=torch.long)
    torch.max(torch.zeros(2, 5), 1, out=(values, indices))
    e = values + indices + torch.zeros(2)
    return a, b, c, d, e


# run: iterators()
# run: later()
# run: growing()
# run: counted()
# run: copies()
# run: in_place(3)
