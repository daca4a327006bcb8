"""Tests that pytest skips or expects to fail, that replace functions, and methods that dispatch by type."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
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


@pytest.fixture
def flat_silu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(F, "silu", lambda t: t.flatten())


def test_of_a_fixture(flat_silu: None) -> None:
    assert F.silu(torch.ones(2, 3)).shape == (6,)


@pytest.mark.usefixtures("flat_silu")
def test_of_a_named_fixture() -> None:
    assert F.silu(torch.ones(2, 3)).shape == (6,)


broken = pytest.mark.xfail(reason="known")


@broken
def test_of_a_named_mark() -> None:
    print(torch.ones(2) + torch.ones(3))


@pytest.mark.skipif(True, reason="broken")
def test_skipped_always() -> None:
    print(torch.ones(2) + torch.ones(3))


def test_marked_inside(request: pytest.FixtureRequest) -> None:
    request.node.add_marker(pytest.mark.xfail(reason="known"))
    print(torch.ones(2) + torch.ones(3))


@pytest.fixture
def refused() -> object:
    return pytest.raises(RuntimeError)


def test_of_a_refusing_fixture(refused) -> None:
    with refused:
        print(torch.ones(2) + torch.ones(3))


def is_refused(call: Callable[[], Tensor]) -> None:
    with pytest.raises(RuntimeError):
        call()


def test_by_a_helper() -> None:
    def wrong() -> Tensor:
        return torch.ones(2) + torch.ones(3)

    is_refused(wrong)


@contextmanager
def patched(holder: object, name: str, new: object) -> Iterator[None]:
    old = getattr(holder, name)
    setattr(holder, name, new)
    yield
    setattr(holder, name, old)


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
    test_by_a_helper()
    with patched(F, "elu", lambda t: t.sum(0)):
        assert F.elu(torch.ones(3, 4)).shape == (4,)
    assert Sums().total([torch.ones(2, 3)] * 4).shape == (4, 2)
    for n in (1, 2, 3):
        assert counted(n, torch.randint(5, (9,))).ndim == n
    row = torch.zeros(1, 4, dtype=torch.long)
    torch.zeros(5).index_put_(tuple(row), torch.ones(4))


# run: check()
