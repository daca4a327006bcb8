import torch
from jaxtyping import Float
from torch import Tensor, nn


class MnistHead(nn.Module):
    CLASSES = 10
    HIDDEN = 128

    def __init__(self) -> None:
        super().__init__()
        self.up = nn.Linear(784, self.HIDDEN)
        self.down = nn.Linear(self.HIDDEN, self.CLASSES)  #! self.down = nn.Linear(self.CLASSES, self.HIDDEN)

    def forward(self, x: Float[Tensor, "batch 784"]) -> Float[Tensor, "batch 10"]:
        return self.down(self.up(x).relu())  # E: shape


# run: MnistHead()(randn(3, 784))
