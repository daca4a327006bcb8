"""Fixtures that ask for others, are overridden, parametrised, renamed, shared, or yield; tests marked in many ways."""
import pytest
import torch
from torch import nn


@pytest.fixture
def width():
    return 8


@pytest.fixture
def layer(width):
    return nn.Linear(width, 3)


@pytest.fixture(params=[1, 4])
def batch(request):
    return torch.randn(request.param, 8)


@pytest.fixture()
def resource():
    x = torch.zeros(2, 2)
    yield x
    x.fill_(1)


@pytest.fixture(name="named")
def _named():
    return torch.randn(7)


def named_otherwise():
    return torch.randn(5)


@pytest.fixture(scope="module")
def collected():
    return [torch.zeros(3)]


@pytest.fixture
def rows(rows_before=4):
    return torch.zeros(rows_before, 2)


def test_layer(layer, batch):
    assert layer(batch).shape == (len(batch), 3)


def test_resource(resource, named, rows):
    assert resource.shape == (2, 2)
    assert named.shape == (7,)
    assert rows.shape == (4, 2)


def test_collected(collected):
    collected.append(torch.zeros(1))
    assert collected[-1].shape == (1,)


def test_collected_again(collected):
    assert collected[-1].shape == (1,)


@pytest.mark.parametrize("width", [4, 6])
def test_width(layer, width):
    assert layer(torch.randn(2, width)).shape == (2, 3)


@pytest.mark.parametrize(["width", "out"], [(4, 3), (6, 3)])
def test_two(layer, width, out):
    assert layer(torch.randn(2, width)).shape == (2, out)


@pytest.mark.parametrize("layer", [nn.Linear(5, 2)])
def test_given(layer, width):
    assert layer(torch.randn(width, 5)).shape == (width, 2)


@pytest.mark.xfail(strict=True)
def test_refused(layer):
    layer(torch.randn(2, 5))


def test_raises(layer):
    with pytest.raises(RuntimeError):
        layer(torch.randn(2, 5))


@pytest.mark.parametrize("width", [5])
class TestMarked:
    def test_width(self, layer, width):
        assert layer(torch.randn(2, 5)).shape == (2, 3)


class TestInClass:
    @pytest.fixture
    def width(self):
        return 5

    def test_width(self, layer):
        assert layer(torch.randn(2, 5)).shape == (2, 3)


class TestInherited(TestInClass):
    @pytest.fixture
    def layer(self, width):
        return nn.Linear(width, 3, bias=False)


@pytest.mark.parametrize("named, size", [(torch.zeros(3), 3), (torch.zeros(4), 4)])
def test_named(named, size):
    assert named.shape == (size,)


def check(layer, width=3):
    return layer(torch.randn(2, width))


def main():
    check(nn.Linear(3, 8))
    test_resource(torch.zeros(2, 2), torch.zeros(7), torch.zeros(4, 2))
    test_width(nn.Linear(6, 3), 6)
    test_two(nn.Linear(6, 3), 6, 3)
    return TestInClass().test_width(nn.Linear(5, 3))


# run: main()
