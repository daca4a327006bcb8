import torch
from jaxtyping import Float
from torch import Tensor, nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 8, kernel_size=3)
        self.pool = nn.MaxPool2d(2)
        self.fc = nn.Linear(8 * 13 * 13, 10)  #! self.fc = nn.Linear(8 * 14 * 14, 10)

    def forward(self, digits: Float[Tensor, "batch 1 28 28"]) -> Float[Tensor, "batch 10"]:
        x = self.pool(torch.relu(self.conv(digits)))
        x = torch.flatten(x, 1)
        return self.fc(x)  # E: shape


# run: Net()(randn(2, 1, 28, 28))
