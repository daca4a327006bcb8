"""Windows of some length, of which the last one is cut off by the end.

Those that a variable holds are taken to be whole, so what is run here holds none.
"""

import torch
from jaxtyping import Float
from torch import Tensor


def test_loop() -> None:
    x, i = torch.randn(10, 3), 0
    while i < len(x):
        chunk = x[i : i + 4]
        i += chunk.shape[0]
    assert chunk.shape[0] == 10 % 4
    assert chunk.shape[0] < 4
    assert chunk.flatten().shape == (6,)


def batches(x, size):
    i = 0
    while i < len(x):
        batch = x[i : i + size]
        yield batch
        i += len(batch)


def test_last_batch() -> None:
    assert list(batches(torch.randn(10, 3), 4))[-1].shape == (2, 3)


def test_last_batch_again() -> None:
    assert list(batches(torch.randn(10, 3), 4))[-1].shape == (2, 3)


def test_break() -> None:
    x, i = torch.randn(10, 3), 0
    while (b := x[i : i + 4]).shape[0] == 4:
        i += 4
    assert b.shape == (2, 3)
    torch.testing.assert_close(b, x[8:])


class Reader:
    def __init__(self, x: Float[Tensor, "n d"], size: int) -> None:
        self.x, self.size, self.pos = x, size, 0

    def next(self):
        b = self.x[self.pos : self.pos + self.size]
        self.pos += len(b)
        return b


def test_reader() -> None:
    r = Reader(torch.randn(6, 3), 4)
    assert r.next().shape == (4, 3)
    assert r.next().shape == (2, 3)


def from_(x: Float[Tensor, "n d"], i: int) -> Float[Tensor, "m d"]:
    return x[i : i + 4]


def test_of_a_helper(start: int = 8) -> None:
    assert from_(torch.randn(10, 2), start).shape == (2, 2)


def at(x: Float[Tensor, "10 d"], i: int) -> Tensor:
    c = x[i : i + 4]
    if i == 8:
        assert c.shape[0] == 2
    return c


# run: test_last_batch(); test_last_batch_again(); test_break(); test_reader()
