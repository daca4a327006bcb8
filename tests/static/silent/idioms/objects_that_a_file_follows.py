"""Objects of a file, which its functions, its loops and whoever is given their methods change."""

import threading

import torch
from torch import Tensor, nn


class Mean:
    def __init__(self) -> None:
        self.total = torch.zeros(1)
        self.n = 0

    def on_step(self, x: Tensor) -> None:
        self.total = x if self.n == 0 else self.total + x
        self.n += 1

    def clear(self) -> None:
        self.total = torch.zeros(1)


x, w = torch.ones(3, 4), torch.ones(4, 2)
lin = nn.Linear(3, 4)
read = Mean()


def later() -> None:
    read.on_step(x)


later()
assert (read.total @ w).shape == (3, 2)
read.on_step(x)
assert (read.total @ w).shape == (3, 2)


def cleared() -> None:
    read.clear()


cleared()
assert read.total.shape == (1,)
followed = Mean()
followed.on_step(x)
assert (followed.total @ w).shape == (3, 2)
looped = Mean()
for _ in range(3):
    looped.on_step(x)
assert (looped.total @ w).shape == (3, 2)
listed = [Mean(), Mean()]
for mean in listed:
    mean.on_step(x)
assert (listed[0].total @ w).shape == (3, 2)
threaded = Mean()
thread = threading.Thread(target=threaded.on_step, args=(x,))
thread.start()
thread.join()
assert (threaded.total @ w).shape == (3, 2)
hooked = Mean()
lin.register_forward_hook(lambda *given: hooked.on_step(given[-1]))
lin(torch.ones(3, 3))
assert (hooked.total @ w).shape == (3, 2)
keyed = Mean()
sorted([1, 2], key=lambda i: (keyed.on_step(x), i)[1])
assert (keyed.total @ w).shape == (3, 2)


def swapped() -> None:
    global followed
    followed = Mean()


swapped()
assert followed.total.shape == (1,)

# run: pass
