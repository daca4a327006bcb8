import parts
import torch
from jaxtyping import Float
from torch import Tensor, nn


class Net(nn.Module):
    def __init__(self, d: int, k: int) -> None:
        super().__init__()
        self.first = parts.layers.Project(d, 4 * d)
        self.second = parts.layers.Project(4 * d, k)  #! self.second = parts.layers.Project(d, k)

    def forward(self, x: Float[Tensor, "b d"]) -> Float[Tensor, "b k"]:
        return self.second(self.first(x).relu())  # E: shape


class OneNumber(parts.layers.Shared):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(1, 10)

    def forward(self, x):
        return self.linear(x)


OneNumber()(torch.zeros(100))


# run: Net(3, 5)(randn(2, 3))
