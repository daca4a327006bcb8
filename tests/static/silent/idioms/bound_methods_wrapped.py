"""A function that captured a bound method changes the object that the method is of, at each of its calls."""

import torch
from jaxtyping import Float
from torch import Tensor


class Rows:
    def __init__(self):
        self.kept = torch.zeros(3, 4)

    def push(self, rows):
        self.kept = torch.cat([self.kept, rows])
        return len(self.kept)


def twice(function):
    def run(*args):
        function(*args)
        return function(*args)

    return run


def timed(function):
    def run(*args, **kwargs):
        out = function(*args, **kwargs)
        return out

    return run


def grow() -> None:
    rows = Rows()
    twice(rows.push)(torch.ones(3, 4))
    assert rows.kept.shape == (9, 4)
    push = timed(rows.push)
    push(torch.ones(3, 4))
    push(torch.ones(3, 4))
    assert rows.kept.shape == (15, 4)


def joined(*parts: Float[Tensor, "b _"]) -> Float[Tensor, "b total"]:
    assert parts[0].shape == (1, 1)
    assert parts[1].shape == (1, 3)
    return torch.cat(parts, -1)


def both(**parts: Float[Tensor, "b _"]) -> Float[Tensor, "b total"]:
    assert parts["x"].shape == (1, 1)
    assert parts["y"].shape == (1, 3)
    return torch.cat([parts["x"], parts["y"]], -1)


# run: grow()
# run: joined(randn(1, 1), randn(1, 3))
# run: both(x=randn(1, 1), y=randn(1, 3))
