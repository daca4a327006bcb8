from collections.abc import Iterable
from itertools import cycle, islice

import torch
from jaxtyping import Float
from torch import Tensor, nn


class Encoder(nn.Module):
    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.inward = nn.Linear(width, hidden)
        self.outward = nn.Linear(hidden, width)

    def forward(self, x: Float[Tensor, "batch width"]) -> Float[Tensor, "batch width"]:
        return self.outward(torch.relu(self.inward(x)))


def fit(model: Encoder, batches: Iterable[Float[Tensor, "batch width"]], steps: int) -> float:
    total = 0.0
    for x in islice(cycle(batches), steps):
        loss = (model(x) - x).square().mean()  #! loss = (model(x.T) - x).square().mean()  # E: shape
        loss.backward()
        total += loss.item()
    return total / steps


# run: fit(Encoder(4, 6), [torch.randn(3, 4), torch.randn(3, 4)], 5)
