import pytest
import torch
from torch import nn

from blurpool import BlurPool


@pytest.fixture
def channels():
    return 8


@pytest.fixture
def layer(channels) -> BlurPool:
    return BlurPool(channels)


def test_halves(layer, image):
    out = layer(image)
    assert out.shape == (2, 8, 16, 16)  #! assert out.shape == (2, 16, 16, 16)  # E: shape


@pytest.mark.parametrize("stride", [1, 2, 4])
def test_strides(stride, image):
    out = BlurPool(8, stride=stride)(image)
    assert out.shape[-1] == 32 // stride
    assert out.dtype == image.dtype


class TestBeforeAConv:
    @pytest.fixture
    def conv(self, channels):
        return nn.Conv2d(channels, 4, 1)  #! return nn.Conv2d(2 * channels, 4, 1)

    def test_chain(self, layer, conv, image):
        assert conv(layer(image)).shape == (2, 4, 16, 16)  # E: shape


# run: test_halves(BlurPool(8), randn(2, 8, 32, 32))
