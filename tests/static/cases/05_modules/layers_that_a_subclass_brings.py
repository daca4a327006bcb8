from abc import ABC, abstractmethod

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn


class Classifier(nn.Module):
    fc: nn.Linear

    def forward(self, x: Float[Tensor, "b 8"]) -> Float[Tensor, "b 4"]:
        return self.fc(x)  # E: shape


class Wide(Classifier):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(8, 4)  #! self.fc = nn.Linear(16, 4)


class Plain(Classifier):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(8, 4)


class Encoder(ABC, nn.Module):
    @abstractmethod
    def encode(self, x: Float[Tensor, "b d"]) -> Float[Tensor, "b e"]: ...

    def forward(self, x: Float[Tensor, "b d"]) -> Float[Tensor, "b e"]:
        return F.normalize(self.encode(x), dim=-1)


class LinearEncoder(Encoder):
    def __init__(self, d: int, e: int) -> None:
        super().__init__()
        self.linear = nn.Linear(d, e)

    def encode(self, x):
        return self.linear(x).relu()  #! return self.linear(x).sum(-1)  # E: shape


def use() -> None:
    plain, wide, encoder = Plain(), Wide(), LinearEncoder(8, 16)
    x = torch.randn(2, 8)
    plain(x), wide(x), encoder(x)


# run: use()
