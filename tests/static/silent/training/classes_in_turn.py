"""One test for several kinds of modules, which asks which of them it has."""

import pytest
import torch
from torch import Tensor, nn


class Encoder(nn.Module):
    def __init__(self, features: int, width: int) -> None:
        super().__init__()
        self.linear = nn.Linear(features, width)

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x)


class Decoder(nn.Module):
    def __init__(self, vocab: int, width: int) -> None:
        super().__init__()
        self.linear = nn.Linear(width, vocab)

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x)

    @classmethod
    def started(cls) -> Tensor:
        x = torch.zeros(2, 4)
        if cls is not Decoder:
            x = torch.zeros(2, 4, 1)
        return x.view(8) if cls is Decoder else x.permute(2, 0, 1)


class BothWays(Decoder):
    pass


@pytest.mark.parametrize("module", [Encoder, Decoder, BothWays])
def test_shapes(module):
    model = module(80, 256)
    features, memory = torch.randn(2, 10, 80), torch.randn(2, 10, 256)
    if module in [Encoder]:
        assert model(features).shape == (2, 10, 256)
    elif module in (Decoder, BothWays):
        assert model(memory).shape == (2, 10, 80)
    else:
        raise AssertionError(module)


# run: [test_shapes(module) for module in (Encoder, Decoder, BothWays)]
# run: assert Decoder.started().shape == (8,) and BothWays.started().shape == (1, 2, 4)
