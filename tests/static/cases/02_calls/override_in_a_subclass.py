import torch
from jaxtyping import Float
from torch import Tensor, nn


class Pool(nn.Module):
    def forward(self, x: Float[Tensor, "b s d"]) -> Float[Tensor, "b d"]:
        return x.mean(1)


class MaxPool(Pool):
    def forward(self, x: Float[Tensor, "b s d"]) -> Float[Tensor, "b d"]:
        return x.amax(1)  #! return x.amax(2)  # E: shape


class Classifier(nn.Module):
    def __init__(self, d: int, n: int) -> None:
        super().__init__()
        self.pool: Pool = MaxPool()
        self.head = nn.Linear(d, n)

    def forward(self, x: Float[Tensor, "b s d"]) -> Float[Tensor, "b n"]:
        return self.head(self.pool(x))


# run: Classifier(5, 7)(randn(2, 3, 5))
