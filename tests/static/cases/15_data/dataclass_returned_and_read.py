from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn


@dataclass
class Output:
    hidden: Float[Tensor, "b s d"]
    pooled: Float[Tensor, "b d"]


class Encoder(nn.Module):
    def forward(self, x: Float[Tensor, "b s d"]) -> Output:
        return Output(hidden=x, pooled=x.mean(1))


class Classifier(nn.Module):
    def __init__(self, d: int, classes: int) -> None:
        super().__init__()
        self.encoder = Encoder()
        self.head = nn.Linear(d, classes)

    def forward(self, x: Float[Tensor, "b s d"]) -> Float[Tensor, "b classes"]:
        out = self.encoder(x)
        return self.head(out.pooled)  #! return self.head(out.hidden)  # E: shape


# run: Classifier(5, 7)(randn(2, 3, 5))
