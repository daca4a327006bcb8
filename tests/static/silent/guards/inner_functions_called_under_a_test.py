"""Inner functions that are called only where sizes are one."""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor, nn

A, B = Float[Tensor, "n d"], Float[Tensor, "m d"]


def where_they_are(x: A, y: B) -> A:
    def added() -> A:
        return x + y

    return added() if len(x) == len(y) else x


def untyped(x: A, y: B) -> A:
    def added():
        return x + y

    if x.shape == y.shape:
        return added()
    return x


def refused_before(x: A, y: B) -> A:
    def added() -> A:
        return x * y

    if x.shape[0] != y.shape[0]:
        raise ValueError("other lengths")
    return added()


def two_deep(x: A, y: B) -> A:
    alike = len(x) == len(y)

    def outer() -> A:
        def inner() -> A:
            return x + y

        return inner() + y

    return outer() if alike else x


def same_length(a: Tensor, b: Tensor) -> bool:
    return a.shape[0] == b.shape[0]


def asked_of_a_helper(x: A, y: B, times: int) -> A:
    def step(start: A) -> A:
        return start + y

    while same_length(x, y) and times > 0:
        x, times = step(x), times - 1
    return x


class Residual(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.layer = nn.Linear(width, width)

    def forward(self, x: A, skip: B) -> A:
        def joined(layer: Callable[[Tensor], Tensor]) -> A:
            return layer(x) + skip

        return self.layer(x) if x.size(0) != skip.size(0) else joined(self.layer)


def main() -> None:
    long = torch.ones(4, 3)
    for other in (long, torch.ones(2, 3)):
        for way in (where_they_are, untyped, two_deep, Residual(3)):
            assert way(long, other).shape == (4, 3)
        assert asked_of_a_helper(long, other, 2).shape == (4, 3)
    assert refused_before(long, long).shape == (4, 3)


# run: main()
