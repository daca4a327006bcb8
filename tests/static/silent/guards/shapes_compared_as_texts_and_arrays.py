"""Two shapes compared in ways that say nothing certain, where some of their sizes are numbers."""

import json
import operator

import numpy as np
import torch
from torch import Tensor


def pick(x, y):
    if str(x.shape) == str(y.shape):
        return x + y
    if repr(x.shape) == repr(y.shape):
        return x + y
    if np.array_equal(x.shape, y.shape):
        return x + y
    if x.is_same_size(y):
        return x + y
    if torch.equal(x, y):
        return x + y
    if list(x.size()) == list(y.size()):
        return x + y
    if hash(tuple(x.shape)) == hash(tuple(y.shape)):
        return x + y
    if tuple(map(int, x.shape)) == tuple(map(int, y.shape)):
        return x + y
    if operator.eq(x.shape, y.shape):
        return x + y
    if json.dumps(list(x.shape)) == json.dumps(list(y.shape)):
        return x + y
    if x.numel() == y.numel():
        return x + y
    if x.stride() == y.stride():
        return x + y
    if x.nbytes == y.nbytes:
        return x + y
    if x.shape[-1:] == y.shape[-1:]:
        return x + y
    if not (np.array(x.shape) - np.array(y.shape)).any():
        return x + y
    if sum(a != b for a, b in zip(x.shape, y.shape)) == 0:
        return x + y
    if max(x.shape) == max(y.shape) and min(x.shape) == min(y.shape):
        return x + y
    if sorted(x.shape) == sorted(y.shape):
        return x + y
    if {*x.shape} == {*y.shape}:
        return x + y
    if x.shape[1] % y.shape[1] == 0:
        return x.view(x.shape[0], -1, y.shape[1]) + y[:, None]
    return x


def main(n: int):
    pick(torch.zeros(n, 3), torch.zeros(n, 4))
    pick(torch.zeros(n, 8), torch.zeros(n, 4))
    pick(torch.zeros(2, 3), torch.zeros(2, 4))


def main2(k: Tensor):
    n = int(k)
    pick(torch.zeros(n, 3), torch.zeros(n, 4))


# run: main(2)
# run: main2(torch.tensor(3))
