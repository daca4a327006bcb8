"""What ``setUp``, ``setup_method`` and a fixture for all tests assign, the tests of the class have."""

import unittest

import pytest
import torch
from torch import nn


class TestPooling(unittest.TestCase):
    def setUp(self) -> None:
        self.x = torch.randn(2, 8, 5)
        self.pool = nn.AdaptiveAvgPool1d(1)

    def test_pooled(self) -> None:
        self.assertEqual(self.pool(self.x).squeeze(-1).shape, (2, 8))  #! self.assertEqual(self.pool(self.x).squeeze(1).shape, (2, 8))  # E: shape


class TestHead:
    def setup_method(self) -> None:
        self.head = nn.Linear(16, 4)

    def test_head(self) -> None:
        self.head(torch.randn(3, 16))  #! self.head(torch.randn(16, 3))  # E: shape


class TestNorm:
    @pytest.fixture(autouse=True)
    def layer(self) -> None:
        self.norm = nn.LayerNorm(6)

    def test_norm(self) -> None:
        assert self.norm(torch.randn(3, 6)).shape == (3, 6)  #! assert self.norm(torch.randn(6, 3)).shape == (3, 6)  # E: shape


def main() -> None:
    pooling, head = TestPooling(), TestHead()
    pooling.setUp()
    pooling.test_pooled()
    head.setup_method()
    head.test_head()
    norm = TestNorm()
    norm.norm = nn.LayerNorm(6)
    norm.test_norm()


# run: main()
