import torch
from jaxtyping import Float
from torch import Tensor, nn


class Classifier(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.hidden = nn.Linear(784, 128)
        self.out = nn.Linear(128, 10)  #! self.out = nn.Linear(256, 10)

    def forward(self, x: Float[Tensor, "batch 784"]) -> Float[Tensor, "batch 10"]:
        return self.out(torch.relu(self.hidden(x)))  # E: shape


# run: Classifier()(randn(3, 784))
