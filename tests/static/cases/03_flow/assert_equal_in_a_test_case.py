import unittest

import torch
from torch import nn


class TestEncoder(unittest.TestCase):
    def test_shapes(self) -> None:
        encoder = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.ReLU(), nn.Conv2d(8, 16, 3, stride=2, padding=1))
        out = encoder(torch.randn(4, 3, 32, 32))
        self.assertEqual(out.shape, (4, 16, 8, 8))  #! self.assertEqual(out.shape, (4, 16, 16, 16))  # E: shape
        self.assertEqual(out.mean((2, 3)).size(-1), 16)


# run: TestEncoder("test_shapes").test_shapes()
