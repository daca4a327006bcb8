import functools

import torch
from jaxtyping import Float
from torch import Tensor, nn


def flat_call(fn):
    @functools.wraps(fn)
    def inner(self, x):
        y = fn(self, x.reshape(-1, x.shape[-1]))
        return y.reshape(*x.shape[:-1], y.shape[-1])

    return inner


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 6)

    @flat_call
    def forward(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n out"]:
        return self.lin(x)


def main():
    assert Net()(torch.randn(2, 7, 4)).shape == (2, 7, 6)


# run: main()
