"""Tests that are run with several values, and on objects that are set up for each: all of them pass."""

import unittest

import pytest
import torch
from torch import nn

SIZES = [(2, 3), (4, 5)]
LOSSES = {"mean": (), "none": (2, 3)}


@pytest.mark.parametrize("n", [1, 3, pytest.param(5, marks=pytest.mark.xfail)])
def test_some_are_left_out(n):
    x = torch.ones(n, 3)
    if n == 1:
        pytest.skip("nothing to broadcast")
    assert (x + torch.ones(3, 3)).shape == (n, 3)


@pytest.mark.parametrize("n, fits", [(2, True), (3, False), (1, True)])
def test_refusals(n, fits):
    x = torch.ones(2, 4)
    if fits:
        assert (x + torch.ones(n, 4)).shape == (2, 4)
    else:
        with pytest.raises(RuntimeError):
            x + torch.ones(n, 4)


@pytest.mark.parametrize(["n", "m"], SIZES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("bias", [True, False])
def test_layers(n, m, dtype, bias):
    layer = nn.Linear(m, n, bias=bias, dtype=dtype)
    out = layer(torch.ones(n, m, dtype=dtype))
    assert out.shape == (n, n) and out.dtype == dtype


@pytest.mark.parametrize("shape", [(2, 3), (4, 3), (5, 2, 3)])
def test_shapes(shape):
    x = torch.ones(shape)
    assert nn.Linear(3, 5)(x).shape == (*shape[:-1], 5)
    assert x.ndim == len(shape) and x.movedim(0, -1).shape == (*shape[1:], shape[0])


@pytest.mark.parametrize("make", [lambda: torch.ones(3), lambda: torch.ones(4)], ids=["three", "four"])
@pytest.mark.parametrize("reduction", sorted(LOSSES))
def test_losses(make, reduction):
    x, y = make(), torch.ones(2, 3)
    assert nn.MSELoss(reduction=reduction)(y, y).shape == LOSSES[reduction]
    assert nn.MSELoss(reduction="none")(x, x).shape == x.shape


@pytest.mark.parametrize("batch", range(1, 4))
@pytest.mark.parametrize("turned", [True, False])
def test_flags(batch, turned):
    x = torch.ones(batch, 3)
    if turned:
        x = x.T
    assert x.shape == ((3, batch) if turned else (batch, 3))
    assert (x + torch.ones(1)).sum(0).shape == ((batch,) if turned else (3,))


def widths():
    return torch.randperm(3).tolist()


@pytest.mark.parametrize("width", widths())
@pytest.mark.parametrize("shape", [*SIZES, (7, 7)])
@pytest.mark.parametrize("name", LOSSES)
def test_computed(width, shape, name):
    x = torch.zeros(*shape, width)
    assert x.shape == (*shape, width) and getattr(x, name, None) is not x


@pytest.mark.parametrize("k", [0, 1, 2, -1])
def test_axes(k):
    x = torch.ones(2, 3, 4)
    assert x.sum(k).ndim == 2 and x.sum(k, keepdim=True).shape[k] == 1
    if k == 0:
        assert x.sum(k).shape == (3, 4)


@pytest.mark.parametrize("heads", [1, 2, 4])
@pytest.mark.parametrize("name", ["mean", "max", None])
def test_modes(heads, name):
    q = torch.ones(2, 5, 8).view(2, 5, heads, 8 // heads).transpose(1, 2)
    scores = q @ q.mT
    if name == "mean":
        scores = scores.mean(1)
    elif name is not None:
        scores = scores.amax(1)
    assert scores.shape == ((2, heads, 5, 5) if name is None else (2, 5, 5))


class Grown(unittest.TestCase):
    """Each test begins with what was set up, and may go on from there."""

    width = 3

    def setUp(self):
        self.x = torch.zeros(2, self.width)
        self.items = [torch.zeros(self.width)]
        self.layer = self.make()

    def make(self):
        return nn.Linear(self.width, 4)

    def grow(self):
        self.x = torch.cat([self.x, self.x])

    def test_grown(self):
        self.grow()
        assert self.x.shape == (4, 3)
        self.items.append(torch.zeros(3))
        assert torch.stack(self.items).shape == (2, 3)

    def test_other(self):
        self.x = torch.zeros(5, 3)
        self.layer = nn.Linear(3, 2)
        assert self.layer(self.x).shape == (5, 2)

    def test_as_it_is(self):
        assert self.layer(self.x).shape == (2, 4)


class Wider(Grown):
    width = 5

    def setUp(self):
        super().setUp()
        self.more = torch.zeros(self.width, 2)

    def test_grown(self):
        assert (self.x @ self.more).shape == (2, 2)

    def test_other(self):
        assert self.layer(self.x).shape == (2, 4)

    def test_as_it_is(self):
        assert torch.stack(self.items).shape == (1, 5)


class Checks:
    """Tests of whoever inherits them."""

    def setup_method(self):
        self.x = torch.zeros(2, 3)

    def test_sum(self):
        assert (self.x + torch.zeros(4)).shape == self.expected


class TestChecks(Checks):
    def setup_method(self, method=None):
        self.x, self.expected = torch.zeros(5, 4), (5, 4)


class TestPrepared:
    @pytest.fixture(autouse=True)
    def prepare(self):
        self.x = torch.zeros(2, 3)
        yield
        self.x = torch.zeros(0)

    @pytest.fixture(params=[3, 5])
    def width(self, request):
        return request.param

    def test_width(self, width):
        assert torch.zeros(2, width).shape == (2, width)
        assert self.x.shape == (2, 3)


def main():
    for n, m in SIZES:
        test_layers(n, m, torch.float64, True)
    test_some_are_left_out(3)
    test_refusals(2, True), test_refusals(3, False)
    test_shapes((5, 2, 3)), test_losses(lambda: torch.ones(3), "none")
    test_computed(2, (2, 3), "mean")
    test_flags(2, True), test_flags(2, False), test_axes(0), test_axes(-1)
    test_modes(2, "mean"), test_modes(4, None)
    checks = TestChecks()
    checks.setup_method()
    checks.test_sum()
    return unittest.main(argv=["tests"], exit=False, verbosity=0).result.wasSuccessful()


# run: assert main()
