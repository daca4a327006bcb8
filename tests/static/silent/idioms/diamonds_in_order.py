"""Of two bases that share one, the second comes before what they share."""

import torch
from torch import Tensor, nn


class Base(nn.Module):
    def post(self, x: Tensor) -> Tensor:
        return x

    def width(self) -> int:
        return 2


class Pooled(Base):
    def post(self, x: Tensor) -> Tensor:
        return super().post(x).mean(1)


class Wide(Base):
    def post(self, x: Tensor) -> Tensor:
        return torch.cat([super().post(x)] * 2, -1)

    def width(self) -> int:
        return 5


class Both(Pooled, Wide):
    def forward(self, x: Tensor) -> Tensor:
        return self.post(x)


def main() -> None:
    both = Both()
    y = both(torch.zeros(2, 3, 4))
    assert y.shape == (2, 8)
    z = torch.zeros(both.width())
    assert z.shape == (5,)


# run: main()
