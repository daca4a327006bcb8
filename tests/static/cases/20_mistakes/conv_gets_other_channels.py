import torch
from jaxtyping import Float
from torch import Tensor, nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, kernel_size=3, padding=1)
        self.conv2 = nn.Conv2d(16, 32, kernel_size=3, padding=1)  #! self.conv2 = nn.Conv2d(32, 32, kernel_size=3, padding=1)

    def forward(self, images: Float[Tensor, "batch 3 height width"]) -> Float[Tensor, "batch 32 height width"]:
        x = torch.relu(self.conv1(images))
        return torch.relu(self.conv2(x))  # E: shape


# run: Net()(randn(2, 3, 8, 8))
