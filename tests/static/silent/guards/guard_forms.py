import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

A, B = Float[Tensor, "n d"], Float[Tensor, "m d"]


def numel(a: A, b: B) -> A:
    if a.numel() != b.numel():
        raise ValueError
    return a + b


def lists(a: A, b: B) -> A:
    if list(a.shape) != list(b.shape):
        raise ValueError
    return a + b


def anydiff(a: A, b: B) -> A:
    if any(x != y for x, y in zip(a.shape, b.shape, strict=False)):
        raise ValueError
    return a + b


def truthy(a: A, b: B) -> A:
    if len(a) - len(b):
        return a
    return a + b


def same_size(a: A, b: B) -> A:
    return a + b if torch.is_same_size(a, b) else a


def checked(a: A, b: B) -> A:
    torch._check(a.shape[0] == b.shape[0])
    return a + b


def nptest(a: A, b: B) -> A:
    np.testing.assert_equal(len(a), len(b))
    return a + b


def oneset(a: A, b: B) -> A:
    if len(set(map(len, (a, b)))) > 1:
        raise ValueError
    return a + b


def main() -> None:
    for n in (3, 4):
        x, y = torch.randn(n, 2), torch.randn(n, 2)
        for f in (numel, lists, anydiff, truthy, same_size, checked, nptest, oneset):
            f(x, y)
    truthy(x, y[:1])
    same_size(x, y[:1])


# run: main()
