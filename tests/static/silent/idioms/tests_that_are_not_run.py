"""Tests that pytest skips or expects to fail, that replace functions, and methods that dispatch by type."""

from __future__ import annotations

from functools import singledispatchmethod
from unittest import mock

import pytest
import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor


def test_that_leaves() -> None:
    pytest.skip("not here")
    print(torch.ones(2) + torch.ones(3))


class TestSkipped:
    pytestmark = [pytest.mark.skip]

    def test_all(self) -> None:
        print(torch.ones(2) + torch.ones(3))


def test_other_relu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(F, "relu", lambda t: t.sum())
    assert F.relu(torch.ones(3)).shape == ()


@mock.patch.object(F, "gelu", new=lambda t: t.flatten())
def other_gelu() -> None:
    assert F.gelu(torch.ones(2, 3)).shape == (6,)


class Sums:
    @singledispatchmethod
    def total(self, x: Float[Tensor, "n d"]) -> Float[Tensor, " n"]:
        return x.sum(1)

    @total.register
    def _(self, x: list) -> Float[Tensor, "k n"]:
        return torch.stack([self.total(part) for part in x])


def counted(n: int, s: Tensor) -> Tensor:
    counts = torch.zeros((5,) * n)
    grams = s.unfold(0, n, 1)
    counts.index_put_(tuple(grams.T), torch.ones(len(grams)), accumulate=True)
    return counts


def check() -> None:
    other_gelu()
    assert Sums().total([torch.ones(2, 3)] * 4).shape == (4, 2)
    for n in (1, 2, 3):
        assert counted(n, torch.randint(5, (9,))).ndim == n
    row = torch.zeros(1, 4, dtype=torch.long)
    torch.zeros(5).index_put_(tuple(row), torch.ones(4))


# run: check()
