"""Helpers that slice by what they are given, and calls whose axes end before that."""

import torch
from jaxtyping import Float
from torch import Tensor


def first(x: Float[Tensor, "n d"], k: int) -> Float[Tensor, "m d"]:
    return x[:k]


def window(x: Float[Tensor, "b t"], block: int) -> Float[Tensor, "b s"]:
    return x[:, -block:]


def like(x: Float[Tensor, "a b"], y: Float[Tensor, "d"]) -> Float[Tensor, "a m"]:
    return x[:, : len(y)]


def skip(x: Float[Tensor, "n d"], k: int) -> Float[Tensor, "m d"]:
    return x[k:]


def between(x: Float[Tensor, "n d"], i: int, j: int) -> Float[Tensor, "m d"]:
    return x[i:j]


def stacked(k: int, n: int) -> Float[Tensor, "m"]:
    return torch.stack([torch.zeros(())] + [torch.ones(()) for _ in range(k, n)])


def both(x: Float[Tensor, "n d"], y: Float[Tensor, "n d"], k: int) -> Float[Tensor, "m d"]:
    return torch.cat([x[:k], y[:k]])


def test_cut_off() -> None:
    assert first(torch.randn(3, 2), 5).shape == (3, 2)
    assert window(torch.zeros(2, 5), 8).shape == (2, 5)
    assert like(torch.randn(2, 3), torch.randn(7)).shape == (2, 3)
    assert skip(torch.randn(5, 2), 7).shape == (0, 2)
    assert skip(torch.randn(5, 2), -2).shape == (2, 2)
    assert between(torch.randn(5, 2), 1, -1).shape == (3, 2)
    assert between(torch.randn(5, 2), 3, 1).shape == (0, 2)
    assert stacked(5, 2).shape == (1,)
    assert both(torch.randn(3, 2), torch.randn(3, 2), 5).shape == (6, 2)


# run: test_cut_off()
